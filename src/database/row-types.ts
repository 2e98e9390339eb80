/**
 * What a value of a row is in code, by its type in PostgreSQL. Most are the text that PostgreSQL prints: responses are formatted
 * in SQL, and parsing dates to objects and back costs a third of a small read. A type that is not named here is refused,
 * because its text would be taken for a value of another type.
 */
import pg from 'pg'

type Parse = (text: string) => unknown

const asIs: Parse = (text) => text

/** Exact, or refused: a number that JavaScript would round is selected as text. */
const wholeNumber: Parse = (text) => {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new Error(`The number ${text} of a row is not exact in JavaScript; select it as text.`)
}

/** Of one dimension; the driver reads it character by character. */
const wholeNumbers: Parse = (text) =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((one) => (one === 'NULL' ? null : wholeNumber(one)))

// text[], which the types of the driver do not name.
const texts = (pg.types.getTypeParser as (oid: number, format: 'text') => Parse)(1009, 'text')

const parsers: ReadonlyMap<number, Parse> = new Map([
  // boolean
  [16, (text) => text === 't'],
  // bigint, smallint, integer, oid
  ...[20, 21, 23, 26].map((oid): [number, Parse] => [oid, wholeNumber]),
  // real, double precision
  ...[700, 701].map((oid): [number, Parse] => [oid, Number]),
  // "char", name, text, unknown, char(n), varchar(n), uuid, void
  ...[18, 19, 25, 705, 1042, 1043, 2950, 2278].map((oid): [number, Parse] => [oid, asIs]),
  // json, jsonb, numeric
  ...[114, 3802, 1700].map((oid): [number, Parse] => [oid, asIs]),
  // date, timestamp, timestamptz: sessions print UTC and ISO
  ...[1082, 1114, 1184].map((oid): [number, Parse] => [oid, asIs]),
  // inet, xid8, pg_lsn
  ...[869, 5069, 3220].map((oid): [number, Parse] => [oid, asIs]),
  // text[], integer[]
  [1009, texts],
  [1007, wholeNumbers],
])

// The driver calls it for each value that is not null, and fails the query with its error.
const refuse =
  (oid: number): Parse =>
  () => {
    throw new Error(
      `A row has a value of the PostgreSQL type ${oid}, which code reads as nothing; cast it in the statement, or name it in row-types.ts.`,
    )
  }

export const databaseTypes = {
  getTypeParser: (oid: number) => parsers.get(oid) ?? refuse(oid),
} as pg.CustomTypesConfig

export const compactJson = (text: string): string =>
  text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
