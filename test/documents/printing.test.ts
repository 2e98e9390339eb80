/** What Typst prints: every script from the shipped fonts, long tables, and PDF/A for archives. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { fontPaths } from '../../src/documents/typst/fonts.ts'
import { aPrinter, type Printer } from './a-printer.ts'

// By their names in a PDF: ours, and those that Typst itself brings along.
const shipped = new Set([
  ...['NotoSans-Regular', 'NotoSans-Italic', 'NotoSans-Bold', 'NotoSans-BoldItalic'],
  ...['NotoNaskhArabic', 'NotoNaskhArabic-Bold', 'NotoSansHebrew', 'NotoSansHebrew-Bold'],
  ...['NotoSansHans-Regular', 'NotoSansHans-Bold'],
  ...['LibertinusSerif-Regular', 'DejaVuSansMono', 'NewCMMath-Book'],
])

let printer: Printer
before(async () => {
  printer = await aPrinter()
})
after(() => printer.remove())

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
  test(`${script} is printed as it stands, from one font`, async () => {
    const { pages, fonts } = await print(text, { locale: 'de' })
    assert.equal(pages.join(), text)
    assert.deepEqual(fonts, [font])
  })

for (const [script, text, font] of [
  ['Arabic', 'أمر شراء رقم 123 من الشركة العربية', 'NotoNaskhArabic'],
  ['Persian', 'سفارش خرید گچ و چای', 'NotoNaskhArabic'],
  ['Hebrew', 'הזמנת רכש מספר 123 מחברת המכונות', 'NotoSansHebrew'],
] as const)
  test(`${script} is printed from the right to the left, word by word`, async () => {
    for (const locale of ['ar', 'en']) {
      const { fromTheRight, fonts } = await print(text, { locale })
      assert.deepEqual(fromTheRight, [text])
      assert.ok(fonts.includes(font), fonts.join())
      for (const name of fonts) assert.ok(shipped.has(name), name)
    }
  })

test('all scripts stand in one line, each bold in its own font', async () => {
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

test('code, formulas and italics are in shipped fonts as well', async () => {
  const { fonts } = await print('_a_ *_b_* `c` $x^2$ #text(font: "Libertinus Serif")[d]')
  assert.deepEqual(
    fonts.filter((name) => !shipped.has(name)),
    [],
  )
  assert.equal(fonts.length, 5)
})

for (const family of ['DejaVu Sans', 'DejaVu Serif', 'Liberation Sans'])
  test(`${family} of the machine is not known, though it may be there`, async () => {
    const { warnings, fonts } = await print(`#set text(font: "${family}")\nOrder`)
    assert.deepEqual(warnings, [
      `template_source:1:17 warning: unknown font family: ${family.toLowerCase()}`,
    ])
    assert.ok(shipped.has(fonts.join()), fonts.join())
  })

test('a letter that no shipped font has is taken from none of the machine, and is told', async () => {
  const { warnings, fonts, conformance } = await print('Paid 😀')
  assert.deepEqual(fonts, ['NotoSans-Regular'])
  assert.equal(conformance, undefined)
  assert.deepEqual(warnings, [
    'warning: is plain PDF, not PDF/A: the text "😀" could not be displayed with font "Noto Sans"',
  ])
})

test('a font in the folder is known by its name, beside those that are shipped', async () => {
  const path = fontPaths.find((one) => one.endsWith('NotoSansHebrew-Regular.ttf')) ?? ''
  const own = (await readFile(path, 'latin1'))
    .replaceAll(utf16('Noto Sans Hebrew'), utf16('House Sans Hebre'))
    .replaceAll(utf16('NotoSansHebrew'), utf16('HouseSansHebre'))
  const house = await aPrinter({ 'fonts/house.ttf': Buffer.from(own, 'latin1') })
  const source = '#text(font: "House Sans Hebre")[שלום] Order'
  const { warnings, fonts } = await house.print({ source })
  assert.deepEqual([warnings, fonts], [[], ['HouseSansHebre', 'NotoSans-Regular']])
  await house.remove()
})

test('a file that is called a font and is none does not stop other documents', async () => {
  const house = await aPrinter({ 'fonts/house.otf': 'none' })
  assert.deepEqual((await house.print({ source: 'Order' })).pages, ['Order'])
  await house.remove()
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

test('a table over many pages repeats its head, counts the pages and loses no row', async () => {
  const lines = Array.from({ length: 2000 }, (_, index) => [index + 1, `Article-${index + 1}`])
  const { pages } = await print(longTable, { json: JSON.stringify({ lines }) })
  assert.ok(pages.length > 30)
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

test('a document is PDF/A-2b, of the time and the title that it is given', async () => {
  const { conformance, warnings, title, createdAt } = await print(
    '#set document(title: "Order 7")\nOrder',
    { generatedAt: new Date('2026-02-03T23:59:58Z') },
  )
  assert.deepEqual(
    [conformance, warnings, title, createdAt],
    ['2B', [], 'Order 7', 'D:20260203235958Z'],
  )
})

test('what PDF/A forbids makes it plain PDF 1.7, with the reason', async () => {
  const { conformance, version, warnings, pages } = await print('Order ไทย')
  assert.deepEqual([conformance, version], [undefined, '1.7'])
  assert.deepEqual(warnings, [
    'warning: is plain PDF, not PDF/A: the text "ไ" could not be displayed with font "Noto Sans"',
  ])
  assert.match(pages.join(), /^Order /)
})
