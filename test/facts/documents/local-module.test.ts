/** `docket.typ`: templates of documents write numbers and dates as the filters of notifications do, in every language. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Picture } from '../../../src/documents/typst/engine.ts'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'
import { opened } from '../../support/afterwards.ts'
import { createPrinter } from '../../support/documents/a-printer.ts'
import { pngOf } from '../../support/uploads.ts'

const printer = opened(() =>
  createPrinter({
    'parts/own.typ': '#import "/docket.typ": number\n#number("1.50")',
  }),
)

const numbers = [
  '0',
  '-12.5',
  '999.99',
  '1895.01',
  '1234567.50',
  '1234',
  '12345',
  '0.100',
  '007',
  'x',
]
const dates = [
  ...Array.from({ length: 12 }, (_, n) => `2026-${String(n + 1).padStart(2, '0')}-05`),
  ...['2026-12-31', '0850-01-01', '2026-07-01T22:30:00.000Z', 'soon'],
]

/** Each value on a line of its own; both sides lose what a PDF does not keep. */
const plain = (lines: readonly string[]) =>
  lines.map((line) => line.replaceAll(/[\s\u00a0\u202f\u200f\u200e\u061c]+/g, ''))

for (const locale of ['en', 'en-GB', 'de', 'de-CH', 'hr', 'fr', 'es', 'pl', 'en-IN', 'sv', 'ja'])
  test(`in ${locale}`, async () => {
    const filtered = (filter: string) => (value: string) =>
      renderTemplate(
        parseTemplate(`{{ value | ${filter} }}`),
        { value },
        { locale, timeZone: 'UTC' },
      )
    const typst =
      (name: string, more = '') =>
      (value: string) =>
        `#${name}("${value}"${more}) \\`
    const { pages } = await printer.print(
      {
        source: `#import "/docket.typ": date, number
${numbers.map(typst('number')).join('\n')}
${numbers.map(typst('number', ', unit: "EUR"')).join('\n')}
${numbers.slice(0, 8).map(typst('number', ', unit: "kg"')).join('\n')}
#let record = json("data.json")
${dates.map(typst('date')).join('\n')}`,
      },
      { locale, json: JSON.stringify({ dates }) },
    )
    const expected = [
      ...numbers.map(filtered('number')),
      ...numbers.map(filtered('number: "EUR"')),
      ...numbers.slice(0, 8).map(filtered('number: "kg"')),
      ...dates.map(filtered('local_date')),
    ]
    assert.deepEqual(plain((pages[0] ?? '').trim().split('\n')), plain(expected))
  })

test('values that the template calculates are written alike, and no value as nothing', async () => {
  const { pages } = await printer.print(
    {
      source: `#import "docket.typ": date, number
#number(decimal("1234.50") + decimal("0.25"), unit: "EUR"), #number(-1234567), #number(0.5), #date(datetime(year: 2026, month: 3, day: 5)), [#number(none)#date(none)]
#include "parts/own.typ"`,
    },
    { locale: 'de' },
  )
  assert.equal(
    pages.join().replaceAll(/\s/g, ' '),
    '1.234,75 EUR, -1.234.567, 0,5, 05.03.2026, [] 1,50',
  )
})

test('a project may have a file of this name of its own', async () => {
  await printer.write('docket.typ', '#let number(value) = "own"')
  const { pages } = await printer.print({ source: '#import "docket.typ": number\n#number("1.5")' })
  assert.equal(pages.join(), 'own')
  await printer.removeFile('docket.typ')
})

const pictures = {
  'image/png': pngOf(),
  'image/gif': Buffer.from(
    'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==',
    'base64',
  ),
  'image/webp': Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  'image/jpeg': Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z',
    'base64',
  ),
}

test('pictures of the record are printed by their files; other files, and none, as nothing', async () => {
  const printed = Object.entries(pictures).map(([mimetype, bytes], id) => ({ id, mimetype, bytes }))
  const files = [...printed.map(({ id }) => ({ id })), { id: 99 }, null]
  const source = `#import "docket.typ": picture
#for file in json("data.json") [#context measure(picture(file, width: 20pt)).width.pt();]`
  const print = (given: readonly Picture[]) =>
    printer.print({ source }, { json: JSON.stringify(files), pictures: given })
  assert.equal((await print(printed)).pages.join(), '2020202000')
  // The next document has none of them.
  assert.equal((await print([])).pages.join(), '000000')
  const issuesOf = async (one: Picture) =>
    (await printer.issuesOf({ source }, { json: '[{"id":7}]', pictures: [one] })).join()
  assert.match(await issuesOf({ id: 7, refusal: 'too large' }), /panicked with: "too large"/)
  assert.match(
    await issuesOf({ id: 7, mimetype: 'image/png', bytes: Buffer.from('no picture') }),
    /failed to decode image/,
  )
})
