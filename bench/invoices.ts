/** The measured invoices, of customers in countries. */
import type { Environment } from './environment.ts'
import { fill } from './fill.ts'

/** How many customers there are; each has the same number of invoices. */
export const customerCount = 10_000

/** Fills the tables: mixed text, decimals, dates, nulls. */
export const fillInvoices = (environment: Environment, rows: number): Promise<void> =>
  fill(environment, `${rows.toLocaleString('en')} invoices`, [
    `INSERT INTO records.country (code, name, _created_by, _updated_by)
     SELECT 'C' || g,
       CASE g % 3 WHEN 0 THEN 'Österreich ' || g WHEN 1 THEN 'Côte d''Ivoire ' || g ELSE 'Korea, Republic of ' || g END,
       1, 1
     FROM generate_series(1, 200) g`,
    `INSERT INTO records.customer (name, country_id, _created_by, _updated_by)
     SELECT
       CASE g % 4 WHEN 0 THEN 'Müller & Söhne ' || g WHEN 1 THEN 'Smith, Jones "and" Partners ' || g
         WHEN 2 THEN 'Đuro Đaković ' || g ELSE '株式会社 ' || g END,
       1 + g % 200, 1, 1
     FROM generate_series(1, ${customerCount}) g`,
    `INSERT INTO records.invoice (number, title, notes, reference, status, quantity, net, tax, rate,
       issued_on, due_on, is_paid, sent_at, customer_id, _created_by, _updated_by, _created_at, _updated_at)
     SELECT 'INV-' || g, 'Delivery ' || g || ', part ' || g % 7,
       CASE g % 5 WHEN 0 THEN NULL WHEN 1 THEN 'He said "ship it", twice' WHEN 2 THEN E'first line\\nsecond line ' || g
         WHEN 3 THEN 'größer, naïve, 日本語' ELSE 'plain text of some length for the record ' || g END,
       CASE WHEN g % 3 = 0 THEN NULL ELSE md5(g::text) END,
       (ARRAY['draft', 'open', 'paid', 'void'])[1 + g % 4], g % 1000, (g % 100000) + 0.25, (g % 20000) + 0.05,
       0.2 + (g % 50) * 0.0001, date '2015-01-01' + g % 3650,
       CASE WHEN g % 10 = 0 THEN NULL ELSE date '2015-02-01' + g % 3650 END, g % 2 = 0,
       CASE WHEN g % 4 = 0 THEN NULL ELSE timestamptz '2016-01-01 00:00:00.5Z' + g * interval '5 minutes' END,
       1 + g % ${customerCount}, 1, 1, at, at + interval '90 minutes'
     FROM generate_series(1, ${rows}) g
     CROSS JOIN LATERAL (SELECT timestamptz '2015-01-01 00:00:00.001Z' + g * interval '5 minutes' AS at) a`,
    'VACUUM (ANALYZE) records.country, records.customer, records.invoice',
  ])
