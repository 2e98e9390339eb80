/** Fills the empty values of a column in small transactions, so that others wait for a few records at most. */
import { identifier, tableName } from '../../database/sql.ts'

const recordsAtOnce = 5_000

/** A block that commits after each part: it can be interrupted, and run again. The value is an expression. */
export const fillSql = (table: string, column: string, value: string): string => {
  const name = identifier(column)
  const tag = tagOutside(value)
  return `DO ${tag}
#variable_conflict use_column
DECLARE "first id" bigint;
BEGIN
  FOR "first id" IN
    SELECT generate_series(min(id)::bigint, max(id)::bigint, ${recordsAtOnce})
    FROM ${tableName(table)} WHERE ${name} IS NULL
  LOOP
    UPDATE ${tableName(table)} SET ${name} = ${value}
    WHERE id BETWEEN "first id" AND "first id" + ${recordsAtOnce - 1} AND ${name} IS NULL;
    COMMIT;
  END LOOP;
END ${tag}`
}

/** A dollar quote that the text does not contain. */
const tagOutside = (text: string, tag = '$fill$'): string =>
  text.includes(tag) ? tagOutside(text, `${tag.slice(0, -1)}_$`) : tag
