/** What Typst prints: every script from the shipped fonts, long tables, and PDF/A for archives. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fontPaths } from '../../../src/documents/typst/fonts.ts'
import { opened } from '../../support/afterwards.ts'
import { fontFor } from '../../support/documents/a-font.ts'
import { createPrinter } from '../../support/documents/a-printer.ts'

// By their names in a PDF: ours, and those that Typst contains.
const shipped = new Set([
  ...['NotoSans-Regular', 'NotoSans-Italic', 'NotoSans-Bold', 'NotoSans-BoldItalic'],
  ...['NotoNaskhArabic', 'NotoNaskhArabic-Bold', 'NotoSansHebrew', 'NotoSansHebrew-Bold'],
  ...['NotoSansHans-Regular', 'NotoSansHans-Bold'],
  ...['LibertinusSerif-Regular', 'DejaVuSansMono', 'DejaVuSansMono-Oblique', 'NewCMMath-Book'],
])

const printer = opened(() => createPrinter())

const print = (source: string, given = {}) => printer.print({ source }, given)

for (const [script, text, font] of [
  ['German', 'Größe der Übermaße: 12,5 m² für 1.000 €, „Straße“', 'NotoSans-Regular'],
  ['Croatian', 'Čišćenje šuma, đak, žito, džem, Ljubljana, Đakovo', 'NotoSans-Regular'],
  ['Greek', 'Παραγγελία αγοράς: Ξυλεία ΑΕ, Ἀθῆναι', 'NotoSans-Regular'],
  ['Cyrillic', 'Поръчка №7: Дървен материал, объём, Љубљана, ґанок', 'NotoSans-Regular'],
  ['Polish, Turkish, Romanian', 'Łódź, ĞÜLİZAR Işık, Țară și Țiglă', 'NotoSans-Regular'],
  ['Chinese', '采购订单：供应商北京机械有限公司（税号１２３）。', 'NotoSansHans-Regular'],
  ['Japanese', '注文書はマシーナリー株式会社から', 'NotoSansHans-Regular'],
] as const)
  test(`${script} is printed unchanged, from one font`, async () => {
    const { pages, fonts } = await print(text, { locale: 'de' })
    assert.equal(pages.join(), text)
    assert.deepEqual(fonts, [font])
  })

for (const [script, text, font] of [
  ['Arabic', 'أمر شراء رقم 123 من الشركة العربية', 'NotoNaskhArabic'],
  ['Persian', 'سفارش خرید گچ و چای', 'NotoNaskhArabic'],
  ['Hebrew', 'הזמנת רכש מספר 123 מחברת המכונות', 'NotoSansHebrew'],
] as const)
  test(`${script} is printed from right to left, word by word`, async () => {
    for (const locale of ['ar', 'en']) {
      const { fromTheRight, fonts } = await print(text, { locale })
      assert.deepEqual(fromTheRight, [text])
      assert.ok(fonts.includes(font), fonts.join())
      for (const name of fonts) assert.ok(shipped.has(name), name)
    }
  })

test('a word that is wider than its cell breaks, and others stay whole', async () => {
  const code = 'A1'.repeat(60)
  const { pages } = await print(`#let height(body) = measure(block(width: 3cm, body)).height
#context assert(height("${code}") > 3 * height("A1"))
#context assert(height("Grundstücksverkehrsamt") == height("A1"))
#table(columns: (2cm, 1fr), "${code}", "https://example.com/${code}")`)
  const text = pages.join('').replaceAll(/\s/g, '')
  assert.equal(text, `${code}https://example.com/${code}`)
})

test('all scripts are printed in one line, each bold in its own font', async () => {
  const { pages, fonts } = await print('*Größe Ξύλο Дърво 采购 שלום طلب*')
  assert.deepEqual(fonts, [
    'NotoNaskhArabic-Bold',
    'NotoSans-Bold',
    'NotoSansHans-Bold',
    'NotoSansHebrew-Bold',
  ])
  for (const word of ['Größe', 'Ξύλο', 'Дърво', '采购', 'שלום', 'طلب'])
    assert.ok(pages.join().includes(word), word)
})

test('code, formulas and italics use shipped fonts as well', async () => {
  const { fonts } = await print('_a_ *_b_* `c` $x^2$ #text(font: "Libertinus Serif")[d]')
  assert.deepEqual(
    fonts.filter((name) => !shipped.has(name)),
    [],
  )
  assert.equal(fonts.length, 5)
})

test('a font of the machine is unknown, even if it is installed', async () => {
  for (const family of ['DejaVu Sans', 'Liberation Sans']) {
    const { warnings, fonts } = await print(`#set text(font: "${family}")\nOrder`)
    assert.deepEqual(warnings, [
      `template_source:1:17 warning: unknown font family: ${family.toLowerCase()}`,
    ])
    assert.ok(shipped.has(fonts.join()), fonts.join())
  }
})

/** The warning of a document with boxes. */
const boxes = (scripts: string) =>
  `warning: no font of the document has ${scripts}: boxes are printed instead, so it is plain PDF, not PDF/A; put a font that has them (.ttf, .otf) into printable-documents/`

for (const [source, scripts] of [
  ['Paid 😀 by 👨‍👩‍👧', 'emoji (😀, 👨, 👩, 👧)'],
  ['Order ไทย', 'Thai (ไ, ท, ย)'],
  [
    '#json("data.json").text *ไทย* _ລາວ_ `ខ្មែរ` #"\u{1780}" $ "தமி" $ #link("https://a.example")[সি]',
    'Sinhala (ස, U+0DD2), Thai (ไ, ท, ย), Khmer (ខ, U+17D2, ម, U+17C2, រ, …), Tamil (த, ம, U+0BBF), Bengali (স, U+09BF)',
  ],
  ['#for code in range(0x1200, 0x1220) [#str.from-unicode(code)]', 'Ethiopic (ሀ, ሁ, ሂ, ሃ, ሄ, …)'],
  [
    '#text(font: "DejaVu Sans Mono", fallback: false)[中 \\u{13000} 1️⃣]',
    'Han (中), other scripts (𓀀), signs (1, U+20E3)',
  ],
] as const)
  test(`every script that no font has is told: ${source}`, async () => {
    const { warnings, fonts, conformance, version } = await print(source, {
      json: '{"text":"සි"}',
    })
    assert.deepEqual(
      fonts.filter((name) => !shipped.has(name)),
      [],
    )
    assert.deepEqual([conformance, version], [undefined, '1.7'])
    assert.deepEqual(warnings, [boxes(scripts)])
  })

test('a font in the folder prints its script in every document, without being named', async () => {
  const printer = await createPrinter({
    'fonts/thai.ttf': await fontFor(0x0e01, 80),
    'fonts/khmer.ttf': await fontFor(0x1780, 80),
  })
  const { warnings, conformance, fonts } = await printer.print({ source: 'Order ไทย *កខ* 7' })
  assert.deepEqual([warnings, conformance], [[], '2B'])
  assert.deepEqual(fonts, ['NotoSans-Regular', 'NotoSansHebrew'])
  await printer.removeFile('fonts/khmer.ttf')
  const without = await printer.print({ source: 'Order ไทย *កខ* 7' })
  assert.deepEqual(without.warnings, [boxes('Khmer (ក, ខ)')])
  await printer.remove()
})

test('damaged fonts leave every document with the other fonts', async () => {
  const font = await fontFor(0x0e01, 80)
  const collection = 'ttcf\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff'
  const printer = await createPrinter({
    'fonts/cut.ttf': font.subarray(0, font.length / 2),
    'fonts/head.ttf': font.subarray(0, 12),
    'fonts/empty.ttf': Buffer.alloc(0),
    'fonts/zeros.otf': Buffer.alloc(4096),
    'fonts/collection.ttc': Buffer.from(collection, 'latin1'),
    'fonts/mixed.ttf': Buffer.from(font).fill(0xff, 400, 4000),
    'fonts/text.otf': 'none',
    'fonts/web.woff2': 'wOF2',
    'fonts/whole.ttf': font,
  })
  const { pages, warnings, conformance } = await printer.print({ source: 'Order ไทย' })
  assert.deepEqual([warnings, conformance], [[], '2B'])
  assert.equal(pages.join().replaceAll(/\s/g, ''), 'Orderไทย')
  await printer.remove()
})

test('a font in the folder is found by its name, in addition to the shipped fonts', async () => {
  const path = fontPaths.find((one) => one.endsWith('NotoSansHebrew-Regular.ttf')) ?? ''
  const own = (await readFile(path, 'latin1'))
    .replaceAll(utf16('Noto Sans Hebrew'), utf16('Local Sans Hebre'))
    .replaceAll(utf16('NotoSansHebrew'), utf16('LocalSansHebre'))
  const printer = await createPrinter({ 'fonts/local.ttf': Buffer.from(own, 'latin1') })
  const source = '#text(font: "Local Sans Hebre")[שלום] Order'
  const { warnings, fonts } = await printer.print({ source })
  assert.deepEqual([warnings, fonts], [[], ['LocalSansHebre', 'NotoSans-Regular']])
  await printer.remove()
})

// The names of a font are in its table "name".
const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('latin1')

test('hyphens, quotes and the language of the document follow the locale', async () => {
  for (const [locale, shown] of [
    ['de', '„Holz“'],
    ['hr-HR', '„Holz”'],
    ['en', '“Holz”'],
  ] as const) {
    const { pages, language } = await print('"Holz"', { locale })
    assert.deepEqual([pages, language], [[shown], locale])
  }
  const { pages } = await print(
    '#set page(width: 60mm, margin: 18mm)\n#set par(justify: true)\nLieferbedingungen',
    { locale: 'de' },
  )
  // The reader drops the hyphen itself.
  assert.deepEqual(pages, ['Lieferbedin\ngungen'])
})

const longTable = `#let lines = json("data.json").lines
#set page(footer: context [Page #counter(page).display() of #counter(page).final().first()])
#table(columns: 2, table.header[Position][Article], ..lines.map(it => (str(it.at(0)), it.at(1))).flatten())`

test('a table over many pages repeats its header, numbers the pages and loses no row', async () => {
  const lines = Array.from({ length: 300 }, (_, index) => [index + 1, `Article-${index + 1}`])
  const { pages } = await print(longTable, { json: JSON.stringify({ lines }) })
  assert.ok(pages.length > 4)
  for (const [index, text] of pages.entries()) {
    assert.match(text, /^Position\s+Article\s/)
    assert.match(text, new RegExp(`Page ${index + 1} of ${pages.length}$`))
  }
  const printed = pages.flatMap((text) => text.match(/Article-\d+/g) ?? [])
  assert.deepEqual(
    printed,
    lines.map(([, name]) => name),
  )
})

test('a document is PDF/A-2b, with the given time and title', async () => {
  const { conformance, warnings, title, createdAt } = await print(
    '#set document(title: "Order 7")\nOrder',
    { generatedAt: new Date('2026-02-03T23:59:58Z') },
  )
  assert.deepEqual(
    [conformance, warnings, title, createdAt],
    ['2B', [], 'Order 7', 'D:20260203235958Z'],
  )
})
