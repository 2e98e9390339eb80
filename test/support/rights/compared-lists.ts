/** Lists, counts, sums, groups, cursors and exports of each user, compared with what the policies let through. */
import { isDeepStrictEqual } from 'node:util'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import type { Row, World } from './a-marked-world.ts'
import { type Asking, askAs } from './checked-paths.ts'
import type { Sight } from './sights.ts'

type Place = {
  readonly world: World
  readonly record: Asking
  readonly sight: Sight
  readonly entity: string
}

const search = async (
  { world, record, sight, entity }: Place,
  body: object,
  query = 'limit=100',
) => {
  record.count++
  const path = `/${entity}/search?${query}`
  const { status, text } = await askAs(world, sight.user.name, 'POST', path, { body })
  return { status, body: status === 200 ? JSON.parse(text) : undefined }
}

const compare = (
  { record, sight, entity }: Place,
  what: string,
  found: unknown,
  expected: unknown,
) => {
  if (!isDeepStrictEqual(found, expected))
    record.faults.push(
      `${sight.user.name} (${sight.user.roles}) ${what} of ${entity}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`,
    )
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id)

/** Null where no record has an amount, such as one that the test created itself. */
const sumOf = (rows: readonly Row[]): string | null => {
  const amounts = rows.flatMap(({ amount }) => (amount === null ? [] : [Number(amount)]))
  return amounts.length === 0 ? null : String(amounts.reduce((sum, one) => sum + one, 0))
}

/** Counts and sums by a key, which is null for records without one. */
const groupsOf = (rows: readonly Row[], keyOf: (row: Row) => unknown) =>
  [...Map.groupBy(rows, keyOf)]
    .map(([key, all]) => ({ key: key ?? null, count: all.length, sum: sumOf(all) }))
    .toSorted((a, b) => order(a.key, b.key))

const order = (a: unknown, b: unknown): number =>
  String(a ?? '~') < String(b ?? '~') ? -1 : Number(String(a ?? '~') > String(b ?? '~'))

type Group = {
  readonly key: object
  readonly count: number
  readonly sum?: { amount: string | null }
}

const checkTotals = async (place: Place, all: readonly Row[]) => {
  const { sight, entity, world } = place
  if (!sight.knows(entity, 'amount')) return
  const seen = <V>(row: Row, field: string, value: V) =>
    sight.sees(entity, row.id, field) ? value : null
  const listed = all.map((row) => ({ ...row, amount: seen(row, 'amount', row.amount) }))
  const aggregate = { sum: ['amount'] }
  const totals = await search(place, { $count: true, $aggregate: aggregate }, 'limit=1')
  compare(place, 'total', totals.body?.total, listed.length)
  compare(place, 'aggregate', totals.body?.aggregate, {
    count: listed.length,
    sum: { amount: sumOf(listed) },
  })
  const shape = world.project.shapes.find(({ key }) => key === entity)
  const linked = async (link: string) => {
    const target = shape?.links[link] ?? ''
    const others = target === '' ? [] : await world.rowsOf(target)
    const rows = new Map(others.map((row) => [row.id, row]))
    return (row: Row) => {
      const other = rows.get(Number(seen(row, link, row[`${link}_id`])))
      return other && sight.sees(target, other.id, 'mark') ? other.mark : null
    }
  }
  for (const [path, keyOf] of [
    ['level', (row: Row) => seen(row, 'level', row.level)],
    ['up.mark', await linked('up')],
    ['peer.mark', await linked('peer')],
  ] as const) {
    const [link = '', field] = path.split('.')
    const target = shape?.links[link]
    if (!sight.knows(entity, link)) continue
    if (field !== undefined && !(target !== undefined && sight.knows(target, field))) continue
    const { status, body } = await search(place, { $group: [path], $aggregate: aggregate })
    const found = ((body?.groups ?? []) as Group[])
      .map(({ key, count, sum }) => ({
        key: Object.values(key)[0],
        count,
        sum: sum?.amount ?? null,
      }))
      .toSorted((a, b) => order(a.key, b.key))
    compare(place, `groups by ${path} (${status})`, found, groupsOf(listed, keyOf))
  }
}

/** The ids of all pages, forwards by cursors. */
const idsByCursor = async (place: Place): Promise<number[]> => {
  const ids: number[] = []
  for (let $after: string | null = null; ; ) {
    const { body } = await search(place, { $after, $orderBy: ['-id'], $select: ['id'] }, 'limit=2')
    ids.push(...idsOf(body?.data ?? []))
    $after = body?.next ?? null
    if ($after === null) return ids
  }
}

/** Words find the records that have them, and those whose links lead there; those of other records find nothing. */
const checkFound = async (place: Place, listed: readonly Row[]) => {
  const { world, sight, entity } = place
  if (!sight.knows(entity, 'mark')) return
  for (const row of await world.rowsOf(entity)) {
    if (row.mark === null || !world.random.chance(place.record.share)) continue
    const isListed = listed.some(({ id }) => id === row.id)
    const { body } = await search(place, { $search: row.mark })
    const found = idsOf(body?.data ?? [])
    if (!sight.sees(entity, row.id, 'mark')) compare(place, `search of ${row.mark}`, found, [])
    else if (isListed) compare(place, `own among ${row.mark}`, found.includes(row.id), true)
    compare(
      place,
      `listed among ${row.mark}`,
      found.filter((id) => !sight.reads(entity, id)),
      [],
    )
  }
}

const checkExports = async (place: Place, listed: readonly Row[]) => {
  const { world, record, sight, entity } = place
  const exported = idsOf(listed.filter((row) => sight.covers('export', entity, row)))
  for (const format of exportFormatNames) {
    if (format !== 'csv' && !world.random.chance(record.share)) continue
    record.count++
    const path = `/${entity}/export?format=${format}`
    const body = { $select: ['id'] }
    const { status, text } = await askAs(world, sight.user.name, 'POST', path, { body })
    if (status === 403) continue
    compare(place, `export as ${format} (${status})`, idsIn(format, text), exported)
  }
}

/** The ids of an exported file, as its text was unpacked. */
const idsIn = (format: string, text: string): number[] => {
  if (format === 'parquet') return JSON.parse(text).rows.map(([id]: unknown[]) => Number(id))
  const pattern = { csv: /^(\d+)\r?$/gm, xlsx: /<v>(\d+)<\/v>/g }[format] ?? /"id":(\d+)/g
  return [...text.matchAll(pattern)].map(([, id]) => Number(id))
}

/** Compares each entity of the catalogue. */
export const checkLists = async (world: World, record: Asking, sight: Sight): Promise<void> => {
  for (const entity of world.keys) {
    const place = { world, record, sight, entity }
    const listed = sight.listed(entity)
    const { status, body } = await search(place, { $count: true, $select: ['id'] })
    if (status === 403) {
      compare(place, 'records of a 403', idsOf(listed), [])
      continue
    }
    compare(
      place,
      `list (${status})`,
      [idsOf(body?.data ?? []), body?.total],
      [idsOf(listed), listed.length],
    )
    compare(place, 'pages by cursor', await idsByCursor(place), idsOf(listed).toReversed())
    await checkTotals(place, listed)
    await checkFound(place, listed)
    await checkExports(place, listed)
  }
}
