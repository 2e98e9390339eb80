/** A strict parser of RFC 4180, which accepts less than common libraries do. */

export type CsvField = { readonly text: string; readonly isQuoted: boolean }

/** Rows of fields. Throws when the text is not RFC 4180 with CRLF after every row. */
export const readStrictCsv = (text: string): CsvField[][] => {
  const rows: CsvField[][] = []
  let at = 0
  while (at < text.length) {
    const row: CsvField[] = []
    for (;;) {
      const { field, end } = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at)
      row.push(field)
      at = end
      if (text[at] === ',') at += 1
      else break
    }
    if (text.slice(at, at + 2) !== '\r\n')
      throw new Error(`Row ${rows.length + 1} does not end in CRLF.`)
    at += 2
    rows.push(row)
  }
  return rows
}

const readPlain = (text: string, begin: number) => {
  let end = begin
  while (end < text.length && !',"\r\n'.includes(text[end] ?? '')) end += 1
  if (text[end] === '"') throw new Error(`An unquoted field contains a quote at ${end}.`)
  return { field: { text: text.slice(begin, end), isQuoted: false }, end }
}

const readQuoted = (text: string, begin: number) => {
  let content = ''
  let at = begin + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) throw new Error(`The field at ${begin} is not closed.`)
    content += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { field: { text: content, isQuoted: true }, end: quote + 1 }
    content += '"'
    at = quote + 2
  }
}
