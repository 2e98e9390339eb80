/** Texts of CSV that a spreadsheet would take for a formula: an apostrophe is put before them, and taken back by an import. */

// A plain number ("-12.5") or a phone number ("+49 (30) 1234-5") is safe.
const harmless = '[+-][0-9]+([.,][0-9]+)*|[+][0-9][0-9 ()./-]{3,24}'
const isHarmless = new RegExp(`^(?:${harmless})$`)

// What a spreadsheet may read as the start of a formula, also after a line feed and in full width (OWASP,
// CSV Injection). JavaScript and PostgreSQL read the patterns alike.
const signs = '=@+\\uFF0B\\uFF0D\\uFF1D\\uFF20-'
const beginning = `^[\\t\\r\\n${signs}]`
const isFormula = new RegExp(beginning)

// Where the list separator of the reader's country is a semicolon, a spreadsheet begins a cell after it, also
// inside of quotes.
const afterSemicolon = `(;"*)(?=[${signs}])(?!(?:${harmless})(?:;|$))`
const afterSemicolons = new RegExp(afterSemicolon, 'g')

/**
 * SQL of a text with an apostrophe where it begins like a formula. Every such character sorts before "A", or at or after
 * the first full-width one, so two cheap comparisons settle nearly every text.
 */
export const guardFormula = (text: string): string => {
  const guarded = `CASE
    WHEN strpos(${text}, ';') > 0
    THEN regexp_replace(${text}, '${afterSemicolon}', '\\1''', 'g')
    ELSE ${text}
  END`
  return `CASE
    WHEN (${text} COLLATE "C" < 'A' OR ${text} COLLATE "C" >= '\uFF0B')
      AND ${text} ~ '${beginning}' AND ${text} !~ '^(${harmless})$'
    THEN ''''||${guarded}
    ELSE ${guarded}
  END`
}

/** The same for a text that the service has itself. */
export const escapeFormula = (text: string): string => {
  const guarded = text.replaceAll(afterSemicolons, "$1'")
  return isFormula.test(text) && !isHarmless.test(text) ? `'${guarded}` : guarded
}

const guardAfterSemicolon = new RegExp(`(;"*)'(?=[${signs}])(?!(?:${harmless})(?:;|$))`, 'g')

/** The text before it was guarded; one that had such an apostrophe itself cannot be distinguished from it. */
export const takeBackGuard = (text: string): string => {
  if (!text.includes("'")) return text
  const rest = text.slice(1)
  const isGuarded = text.startsWith("'") && isFormula.test(rest) && !isHarmless.test(rest)
  return (isGuarded ? rest : text).replaceAll(guardAfterSemicolon, '$1')
}
