/** The fixed parts of an XLSX workbook (ECMA-376, part 1). */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** Escapes text for XML. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** A name that Excel takes: 31 characters with a number behind it, none of these, no apostrophe at an end, not its own. */
const sheetName = (name: string): string => {
  const allowed = name.replaceAll(/[[\]:*?/\\\p{Cc}]/gu, ' ').slice(0, 27)
  // Half a character may be left at the end.
  const base = allowed.toWellFormed().replaceAll(/^['\s]+|['\s\uFFFD]+$/g, '')
  return base === '' ? 'Sheet' : /^history$/i.test(base) ? `${base} 1` : base
}

/** Sheets are named after the entity; further ones are numbered. */
export const workbook = (sheets: number, name: string): string => {
  const base = sheetName(name)
  const list = numbersTo(sheets).map(
    (number) =>
      `<sheet name="${escapeXml(number === 1 ? base : `${base} ${number}`)}" sheetId="${number}" r:id="rId${number}"/>`,
  )
  return `${declaration}<workbook xmlns="${spreadsheet}" xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`
}

export const workbookRelationships = (sheets: number): string => {
  const list = numbersTo(sheets).map(
    (number) =>
      `<Relationship Id="rId${number}" Type="${office}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  )
  const style = `<Relationship Id="rId${sheets + 1}" Type="${office}/styles" Target="styles.xml"/>`
  return `${declaration}<Relationships xmlns="${packages}/relationships">${list.join('')}${style}</Relationships>`
}

export const relationships = `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

export const contentTypes = (sheets: number): string => {
  const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const list = numbersTo(sheets).map(
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${main}.worksheet+xml"/>`,
  )
  return `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${main}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${main}.styles+xml"/>${list.join('')}</Types>`
}
