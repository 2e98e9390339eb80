/** The project that is measured: invoices of customers of countries, and the SQL that fills it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const country = {
  key: 'country',
  name: 'Country',
  fields: [
    { key: 'code', name: 'Code', type: 'string', required: true, unique: true },
    { key: 'name', name: 'Name', type: 'string', required: true },
  ],
}

const customer = {
  key: 'customer',
  name: 'Customer',
  fields: [
    { key: 'name', name: 'Name', type: 'string', required: true },
    { key: 'country', name: 'Country', type: 'manyToOne', entity: 'country' },
  ],
}

const fields = [
  { key: 'number', name: 'Number', type: 'string', required: true, unique: true, maxLength: 32 },
  { key: 'title', name: 'Title', type: 'string', maxLength: 200 },
  { key: 'notes', name: 'Notes', type: 'text' },
  { key: 'reference', name: 'Reference', type: 'string' },
  { key: 'status', name: 'Status', type: 'enum', values: ['draft', 'open', 'paid', 'void'] },
  { key: 'quantity', name: 'Quantity', type: 'integer', min: 0 },
  { key: 'net', name: 'Net', type: 'decimal', precision: 14, scale: 2 },
  { key: 'tax', name: 'Tax', type: 'decimal', precision: 14, scale: 2 },
  { key: 'rate', name: 'Rate', type: 'decimal', precision: 6, scale: 4 },
  { key: 'issued_on', name: 'Issued on', type: 'date' },
  { key: 'due_on', name: 'Due on', type: 'date' },
  { key: 'is_paid', name: 'Is paid', type: 'boolean', default: false },
  { key: 'sent_at', name: 'Sent at', type: 'timestamp' },
  { key: 'customer', name: 'Customer', type: 'manyToOne', entity: 'customer', required: true },
]

// 16 columns of the invoice itself and two through joins.
const exported = [
  'id',
  ...fields.map(({ key }) => key).filter((key) => key !== 'customer'),
  '_created_at',
  '_updated_at',
  'customer.name',
  'customer.country.name',
]

const invoice = {
  key: 'invoice',
  name: 'Invoice',
  fields,
  exportSettings: {
    useFieldKeyAsHeader: true,
    columnDefs: exported.map((field) => ({ field })),
  },
}

/** Writes the project into a folder. */
export const writeInvoiceProject = async (directory: string): Promise<void> => {
  await mkdir(join(directory, 'entities'), { recursive: true })
  await writeFile(join(directory, 'docket.json'), JSON.stringify({ name: 'Bench' }))
  for (const definition of [country, customer, invoice])
    await writeFile(
      join(directory, 'entities', `${definition.key}.json`),
      JSON.stringify(definition),
    )
}

const auditColumns = (moment: string) => `1, 1, ${moment}, ${moment} + interval '90 minutes'`

/** How many customers there are; each has the same number of invoices. */
export const customerCount = 10_000

/** Statements that fill the tables: mixed text, decimals, dates, nulls. */
export const fillStatements = (rows: number): string[] => [
  `INSERT INTO records.country (code, name, _created_by, _updated_by)
   SELECT 'C' || g, CASE g % 3 WHEN 0 THEN 'Österreich ' || g WHEN 1 THEN 'Côte d''Ivoire ' || g ELSE 'Korea, Republic of ' || g END, 1, 1
   FROM generate_series(1, 200) g`,
  `INSERT INTO records.customer (name, country_id, _created_by, _updated_by)
   SELECT CASE g % 4 WHEN 0 THEN 'Müller & Söhne ' || g WHEN 1 THEN 'Smith, Jones "and" Partners ' || g WHEN 2 THEN 'Đuro Đaković ' || g ELSE '株式会社 ' || g END, 1 + g % 200, 1, 1
   FROM generate_series(1, ${customerCount}) g`,
  `INSERT INTO records.invoice (number, title, notes, reference, status, quantity, net, tax, rate, issued_on, due_on, is_paid, sent_at, customer_id, _created_by, _updated_by, _created_at, _updated_at)
   SELECT 'INV-' || g, 'Delivery ' || g || ', part ' || g % 7,
     CASE g % 5 WHEN 0 THEN NULL WHEN 1 THEN 'He said "ship it", twice' WHEN 2 THEN E'first line\\nsecond line ' || g WHEN 3 THEN 'größer, naïve, 日本語' ELSE 'plain text of some length for the record ' || g END,
     CASE WHEN g % 3 = 0 THEN NULL ELSE md5(g::text) END,
     (ARRAY['draft', 'open', 'paid', 'void'])[1 + g % 4], g % 1000, (g % 100000) + 0.25, (g % 20000) + 0.05, 0.2 + (g % 50) * 0.0001,
     date '2015-01-01' + g % 3650, CASE WHEN g % 10 = 0 THEN NULL ELSE date '2015-02-01' + g % 3650 END, g % 2 = 0,
     CASE WHEN g % 4 = 0 THEN NULL ELSE timestamptz '2016-01-01 00:00:00.5Z' + g * interval '5 minutes' END,
     1 + g % ${customerCount}, ${auditColumns(`timestamptz '2015-01-01 00:00:00.001Z' + g * interval '5 minutes'`)}
   FROM generate_series(1, ${rows}) g`,
  'VACUUM (ANALYZE) records.country',
  'VACUUM (ANALYZE) records.customer',
  'VACUUM (ANALYZE) records.invoice',
  'CHECKPOINT',
]
