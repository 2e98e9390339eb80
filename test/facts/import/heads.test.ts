/** What heads mean, and how the numbers and days below them are written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolvePath } from '../../../src/definitions/association-path.ts'
import { pathLabel } from '../../../src/definitions/value-names.ts'
import { type GivenColumns, mapHeads } from '../../../src/import/read/mapping.ts'
import { aReader, openContent } from '../../support/import/a-file.ts'

const { project, entity } = await aReader()

const mapped = async (text: string, columns?: GivenColumns) => {
  const sheet = await openContent(text)
  const mapping = mapHeads(project, entity, sheet, columns)
  return {
    columns: mapping.columns.map(({ head, use, path, link, decimal, dates }) =>
      [head, use, path, link && `by ${link.path}`, decimal, dates].filter(Boolean).join(' '),
    ),
    issues: mapping.issues.map(({ head, message }) => `${head} ${message}`),
    notes: mapping.notes.map(({ message }) => message),
  }
}

type Expected = Partial<Awaited<ReturnType<typeof mapped>>>

const ofHeads = (...heads: readonly string[]) => `${heads.join('\t')}\n`

const rows: readonly (readonly [string, string, Expected, GivenColumns?])[] = [
  [
    'headers of the export',
    ofHeads(
      'Order no.',
      'Supplier code',
      'supplier.country.name',
      'Total',
      'Placed (Europe/Berlin)',
      'State',
      '_step',
      'id',
    ),
    {
      columns: [
        'Order no. value number',
        'Supplier code link supplier.code by code',
        'supplier.country.name none supplier.country.name',
        'Total value total',
        'Placed (Europe/Berlin) value placed_at',
        'State value state',
        '_step history _step',
        'id id id',
      ],
      notes: [
        '"supplier.country.name" is not imported: several records of supplier may have it; they are identified by "supplier.id" or "supplier.code" or "supplier.account_id".',
      ],
    },
  ],
  [
    'headers and names in another language, in any case',
    ofHeads('bestellnr.', 'Lieferantennr.', 'Summe', 'Fällig', 'ZUSTAND', 'Schritt'),
    {
      columns: [
        'bestellnr. value number',
        'Lieferantennr. link supplier.code by code',
        'Summe value total',
        'Fällig value due',
        'ZUSTAND value state',
        'Schritt history _step',
      ],
    },
  ],
  [
    'labels of paths',
    ofHeads('Supplier › Code', 'Lieferant › Land › Bezeichnung', 'Supplier › account › IBAN'),
    {
      columns: [
        'Supplier › Code link supplier.code by code',
        'Lieferant › Land › Bezeichnung none supplier.country.name',
        'Supplier › account › IBAN none supplier.account.iban',
      ],
    },
  ],
  [
    'keys, names with other marks',
    ofHeads('is_urgent', 'placed at', '_created_by', 'supplier_id'),
    {
      columns: [
        'is_urgent value is_urgent',
        'placed at value placed_at',
        '_created_by history _created_by by id',
        'supplier_id link supplier_id by id',
      ],
    },
  ],
  [
    'fields of lines, by paths and by names in any language',
    ofHeads(
      'lines.place',
      'Positionen › supplier › Code',
      'lines.order',
      'lines.half',
      'lines.id',
      'Place',
    ),
    {
      columns: [
        'lines.place value lines.place',
        'Positionen › supplier › Code link lines.supplier.code by code',
        'lines.order none lines.order',
        'lines.half none lines.half',
        'lines.id none lines.id',
      ],
      issues: ['Place is not a column of order; "lines.place" is one'],
    },
  ],
  ['what was guarded', `"'=x"\n`, { columns: ["'=x value article"] }, { "'=x": 'article' }],
  [
    'what the service calculates',
    ofHeads('double'),
    {
      columns: ['double none double'],
      notes: ['"double" is not imported: the service calculates it.'],
    },
  ],
  [
    'unknown heads',
    ofHeads('Weigth', 'xyz', 'number'),
    {
      columns: ['number value number'],
      issues: [
        'Weigth is not a column of order; did you mean "Weight"?',
        'xyz is not a column of order',
      ],
    },
  ],
  [
    'heads twice',
    ofHeads('number', 'number', 'Total', 'total'),
    {
      issues: [
        'number stands above several columns; leave one of them',
        'number (2) stands above several columns; leave one of them',
        'total is "total", which "Total" is already',
      ],
    },
  ],
  [
    'heads twice, one of which is given or left out',
    ofHeads('number', 'number', 'total', 'total'),
    { columns: ['number value number', 'total value total', 'total (2) value weight'], issues: [] },
    { 'number (2)': null, 'total (2)': 'weight' },
  ],
  [
    'all others that nothing is known of are left out',
    'number,,xyz,total,total\n1,x,2,3,4\n',
    {
      columns: ['number value number'],
      issues: [
        'total stands above several columns; leave one of them',
        'total (2) stands above several columns; leave one of them',
      ],
    },
    { '*': null },
  ],
  [
    'a column that is left out, one that is given',
    ofHeads('xyz', 'W'),
    { columns: ['W value weight ,'], issues: [] },
    { xyz: null, W: { field: 'weight', decimal: ',' } },
  ],
  [
    'a path that is no column',
    ofHeads('W'),
    { issues: ['W "wight" is not a field of order; did you mean "weight"?'] },
    { W: 'wight' },
  ],
  [
    'a link by texts',
    ofHeads('Supplier') + ofHeads('S1'),
    {
      columns: ['Supplier link supplier by code'],
      notes: ['"Supplier" is read as the code of supplier.'],
    },
  ],
  [
    'a link by numbers',
    ofHeads('Supplier') + ofHeads('12'),
    { columns: ['Supplier link supplier by id'] },
  ],
  [
    'a link by id and by a field',
    ofHeads('supplier_id', 'supplier.code'),
    {
      columns: ['supplier_id none supplier_id', 'supplier.code link supplier.code by code'],
      notes: ['"supplier_id" is not imported: "supplier.code" identifies the record.'],
    },
  ],
  [
    'a head that is merged',
    'number,,total\n1,x,2\n',
    {
      issues: [
        '(B) has no head above its values, such as that of row 2; heads that are merged name only their first column',
      ],
    },
  ],
  [
    'numbers with a comma',
    'weight;rate;serial\n1.234,5;1,5;2\n1.234;1.234;1.234\n',
    {
      columns: ['weight value weight ,', 'rate value rate ,', 'serial value serial ,'],
      notes: [],
    },
  ],
  [
    'digits that decide',
    'total\n"1,234"\n',
    { columns: ['total value total .'], issues: [], notes: [] },
  ],
  [
    'nothing that decides',
    'weight\n1\n"1,234"\n',
    {
      issues: [
        'weight has "1,234" (row 3), in which the mark may be before decimals or between thousands; give the decimal mark of the file, a point or a comma',
      ],
    },
  ],
  [
    'an export with semicolons and three digits',
    'weight;number\n12,500;a\n',
    {
      columns: ['weight value weight ,', 'number value number'],
      notes: [
        '"weight" is read with a decimal comma, as files with this separator are written, such as "12,500" (row 2).',
      ],
    },
  ],
  [
    'an export with commas and three digits',
    'weight,number\n12.500,a\n',
    { columns: ['weight value weight .', 'number value number'] },
  ],
  [
    'both marks',
    'weight\n1.5\n"1,5"\n',
    {
      issues: [
        'weight has values with a decimal point, such as "1.5" (row 2), and with a decimal comma, such as "1,5" (row 3); write all of them alike',
      ],
    },
  ],
  [
    'days that decide',
    'due,placed_at\n01/02/2026,2026-01-05\n31/12/2026,02/01/2026 10:00\n',
    {
      columns: ['due value due DMY', 'placed_at value placed_at DMY'],
      notes: [
        '"placed_at" is read with the day before the month, as other columns of the file, such as "02/01/2026 10:00" (row 3).',
      ],
    },
  ],
  ['days of America', 'due\n01/31/2026\n', { columns: ['due value due MDY'] }],
  [
    'days that do not decide',
    'due\n01/02/2026\n',
    {
      issues: [
        'due has "01/02/2026" (row 2), in which the day or the month may be first; give the order of days of the file, DMY or MDY',
      ],
    },
  ],
  [
    'days of both kinds',
    'due\n01/31/2026\n31/01/2026\n',
    {
      issues: [
        'due has values with the month before the day, such as "01/31/2026" (row 2), and with the day before the month, such as "31/01/2026" (row 3); write all of them alike',
      ],
    },
  ],
  ['what is not imported', 'double;number\n"1,234";a\n', { issues: [] }],
]

for (const [what, text, expected, given] of rows)
  test(`heads: ${what}`, async () => {
    const found = await mapped(text, given)
    const asked = Object.fromEntries(
      Object.keys(expected).map((key) => [key, found[key as keyof Expected]]),
    )
    assert.deepEqual(asked, expected)
  })

test('every header that an export of the entity may have leads back to its column', () => {
  const { catalog, languages } = project
  const paths = entity.columns.flatMap(({ name, field, target }) => [
    name,
    ...(catalog.entities.get(target ?? '')?.columns ?? []).map((one) => `${field.key}.${one.name}`),
  ])
  const wrong = languages.flatMap((language) =>
    paths.flatMap((path) => {
      const own = language.entities.get('order')
      assert.ok(own)
      const defs = own.definition.exportSettings?.columnDefs ?? []
      const configured = defs.find(({ field }) => field === path)?.headerName
      const heads = [path, pathLabel(language, own, path), configured ?? path]
      return heads.flatMap((head) => {
        const sheet = {
          heads: [`${head} (Europe/Zagreb)`],
          sample: [],
          dialect: {
            format: 'xlsx',
            encoding: undefined,
            separator: undefined,
            decimal: undefined,
            dates: undefined,
            sheet: 'S',
            notes: [],
          },
        } as const
        const { columns, issues } = mapHeads(project, entity, sheet)
        const found = columns[0] && resolvePath(catalog, entity, columns[0].path)
        const wanted = resolvePath(catalog, entity, path)
        const same =
          found &&
          'path' in found &&
          'path' in wanted &&
          found.path.column.name === wanted.path.column.name &&
          found.path.steps.join() === wanted.path.steps.join()
        return same ? [] : [`${head} of ${path}: ${issues[0]?.message ?? columns[0]?.path}`]
      })
    }),
  )
  // A field of the project and one that every record has are called alike.
  assert.deepEqual(wrong, [])
})
