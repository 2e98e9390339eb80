/** Rows as aligned columns. */

/** Lines with aligned columns, two spaces apart; the last column is not padded. */
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
