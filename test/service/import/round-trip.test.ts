/** Every export imports again without a change: each format, separator and language gives the same records. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { startImporting } from './an-import-project.ts'

const { ask, ended, rowsOf, url, tokenOf } = await startImporting()

const texts = [
  'plain',
  '=SUM(A1)',
  "'quoted",
  '-7',
  '01205',
  ' blank at both ends ',
  'two\nlines',
  'a;b,c\t"d"',
  'Žbunje – ß',
  'true',
  '',
  null,
]

/** Records with values of each type, chosen by a number, so that a failure can be repeated. */
const recordOf = (n: number, customer: number, categories: readonly number[]) => ({
  label: `S${n}`,
  words: texts[n % texts.length],
  remarks: texts[(n * 5 + 3) % texts.length],
  count: [0, -1, 2147483647, null][n % 4],
  large: ['9007199254740993', '-5', null][n % 3],
  price: ['0.10', '-1234567.89', '1000', null][n % 4],
  is_open: [true, false, null][n % 3],
  day: ['2026-01-31', '1999-12-01', null][n % 3],
  moment: ['2026-03-29T00:30:00.000Z', '2026-10-25T00:30:00.123Z', null][n % 3],
  choice: ['a', 'b c', 'on_hold', null][n % 4],
  extra: [{ a: [1, 'x', null] }, [], 'text', null][n % 4],
  mail: ['one@example.com', null][n % 2],
  customer_id: n % 2 === 0 ? customer : null,
  category_id: categories[n % 3] ?? null,
})

const snapshot = async (): Promise<readonly Record<string, unknown>[]> =>
  (
    await rowsOf(
      `SELECT (to_jsonb(s) - '_version' - '_updated_at' - '_updated_by')::text FROM records.sample s ORDER BY s.id`,
    )
  ).map(([json]) => JSON.parse(String(json)))

const byKeys = {
  $select: [
    ...['id', 'number', ...Object.keys(recordOf(0, 0, [])), 'closed_by_id'],
    ...['_step', '_created_at', '_created_by', '_owned_by'],
  ],
}

const variants: readonly (readonly [query: string, language?: string, criteria?: object])[] = [
  ['format=csv'],
  ['format=csv&bom=true', 'en', byKeys],
  ['format=csv&bom=true&separator=semicolon'],
  ['format=csv&names=true', 'de'],
  ['format=csv&names=true&separator=semicolon', 'de'],
  ['format=csv&names=true', 'en'],
  ['format=csv&names=true', 'de', byKeys],
  ['format=ndjson'],
  ['format=json'],
  // The last ones: a workbook has no empty text.
  ['format=xlsx'],
  ['format=xlsx&names=true', 'de'],
]

test('each export of random records imports into the same records, with their ids, steps, authors and times', async () => {
  const body = { code: 'RT', name: 'Of round trips' }
  const { id: customer } = (await ask('POST', '/customer', { body })).json(201)
  const categories: number[] = []
  for (const code of ['tools', '01205'])
    categories.push((await ask('POST', '/category', { body: { code } })).json(201).id)
  for (let n = 0; n < 24; n++) await made(n, recordOf(n, customer, categories))
  await rowsOf(`UPDATE records.sample SET number = 'Of a former format' WHERE label = 'S3'`)
  const all = await snapshot()
  const wrong: Record<string, unknown> = {}
  for (const [query, language = 'en', criteria] of variants) {
    const before = query.includes('xlsx') ? all.map(withoutEmptyTexts) : all
    const authorization = { Authorization: `Bearer ${await tokenOf()}` }
    const exported = await fetch(`${url}/sample/export?${query}`, {
      method: 'POST',
      headers: {
        ...authorization,
        'Accept-Language': language,
        ...(criteria && { 'Content-Type': 'application/json' }),
      },
      ...(criteria && { body: JSON.stringify(criteria) }),
    })
    assert.equal(exported.status, 200, query)
    const file = await exported.arrayBuffer()
    await rowsOf('DELETE FROM records.sample')
    await rowsOf(`DELETE FROM docket.series WHERE entity_key = 'sample'`)
    const sent = await fetch(`${url}/sample/import`, {
      method: 'POST',
      headers: { ...authorization, 'Content-Type': 'application/octet-stream' },
      body: file,
    })
    const answer: { id: number } = JSON.parse(await sent.text())
    if (sent.status !== 202) {
      wrong[`${query} ${language}`] = answer
      continue
    }
    const run = await ended(answer.id)
    const after = await snapshot()
    if (run.state !== 'done' || !isDeepStrictEqual(after, before))
      wrong[`${query} ${language}`] = [
        run.error,
        run.faults.slice(0, 3),
        ...differences(before, after),
      ]
  }
  assert.deepEqual(wrong, {})
  assert.equal((await ask('POST', '/sample', { body: {} })).json(201).number, 'S-025')
})

/** Every fourth has been closed, and says by whom. */
const made = async (n: number, body: object): Promise<void> => {
  const { id } = (await ask('POST', '/sample', { body })).json(201)
  if (n % 4 === 0)
    (await ask('POST', `/sample/${id}/proceedToStep`, { body: { action: 'close' } })).json(200)
}

type Records = Awaited<ReturnType<typeof snapshot>>

const withoutEmptyTexts = (record: Records[number]): Records[number] =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value === '' ? null : value]),
  )

/** The values that differ, of the first records. */
const differences = (before: Records, after: Records): readonly unknown[] =>
  before
    .flatMap((was, at) =>
      Object.entries(was).flatMap(([name, value]) =>
        isDeepStrictEqual(value, after[at]?.[name]) ? [] : [[name, value, after[at]?.[name]]],
      ),
    )
    .slice(0, 6)
