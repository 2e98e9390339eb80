/** Rows as aligned columns, for people at a terminal. */

/** Lines of equal columns, two blanks apart; the last column is as wide as it is. */
export const alignedTable = (rows: readonly (readonly string[])[], indent = ''): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
      return `${indent}${cells.join('  ').trimEnd()}`
    })
    .join('\n')
}
