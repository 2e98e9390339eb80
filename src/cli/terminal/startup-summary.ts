/** The startup summary: the address of the service, and three commands to paste. */
import { type Pool, queryRow } from '../../database/pool.ts'
import { notDeleted, sql, table } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import { commandLine, quoted } from './command-line.ts'
import { freeSampleBody, neededColumns, sampleBody } from './sample-values.ts'

type SummaryOptions = {
  readonly base: string
  /** The address of the console, or a link that signs in. */
  readonly page: string
  readonly project: Project
  /** Shell text for a token of the development issuer; undefined with another issuer. */
  readonly token: string | undefined
  readonly pool: Pool
  /** Whether there is no issuer. */
  readonly takesKeysOnly: boolean
}

/** The commands use entities and fields of the project. */
export const startupSummary = async ({
  base,
  page,
  project,
  token,
  pool,
  takesKeysOnly,
}: SummaryOptions): Promise<string> => {
  const { catalog, settings } = project
  const title = settings.name ?? 'Docket'
  const head = `
  ${title} is up at ${base}
  Console         ${page}
  API page        ${base}/api/docs
`
  if (takesKeysOnly)
    return `${head}
  Other machines can reach it, and AUTH_ISSUER is not set, so it accepts only API keys. Create one with
  ${commandLine('api-key create --user E-MAIL --name NAME', project.directory)}

`
  if (token === undefined) return `${head}\n`
  return `${head}
  A token for 30 days:
  export TOKEN=${token}
${await linesFor(pool, catalog, base)}
`
}

const linesFor = async (pool: Pool, catalog: Catalog, base: string): Promise<string> => {
  const json = `-H 'Content-Type: application/json'`
  const curl = (path: string) =>
    `curl -sS -w '\\n' ${base}${path} -H "Authorization: Bearer $TOKEN"`
  const created = chooseForCreate(catalog)
  const body = created && (await freeSampleBody(pool, created))
  const exported = chooseForExport(catalog)
  const id = exported && (await firstId(pool, exported.entity))
  const examples = [
    created && {
      what: `Create a ${created.name.toLowerCase()}`,
      line: `${curl(`/${created.key}`)} ${json} -d ${quoted(JSON.stringify(body))}`,
    },
    exported && {
      what: 'export with a filter and columns of associations',
      line: `${curl(`/${exported.entity.key}/export`)} ${json} -d ${quoted(JSON.stringify(exported.criteria))} -o ${exported.entity.key}.csv && head -3 ${exported.entity.key}.csv`,
    },
    id !== undefined && { what: 'read one', line: curl(`/${exported?.entity.key}/${id}`) },
  ].filter((example) => typeof example === 'object')
  if (examples.length === 0)
    return '\n  There is no entity yet: write entities/<key>.json, and start again.'
  return `\n  ${examples.map(({ what }) => what).join(', ')}:\n${examples.map(({ line }) => `  ${line}`).join('\n')}`
}

/** The id of an existing record; undefined when there is none. */
const firstId = async (pool: Pool, { key }: Entity): Promise<number | undefined> => {
  const select = sql`SELECT t.id FROM ${table(key)} t WHERE ${notDeleted('t')} ORDER BY t.id LIMIT 1`
  const row = await queryRow<{ id: number }>(pool, select)
  return row?.id
}

const ownEntities = (catalog: Catalog) =>
  [...catalog.entities.values()].filter((entity) => !entity.isNative)

/** The entity with the fewest required fields, among those without required links. */
const chooseForCreate = (catalog: Catalog) => {
  const [entity] = ownEntities(catalog)
    .filter((one) => sampleBody(one) !== undefined)
    .sort((a, b) => neededColumns(a).length - neededColumns(b).length)
  return entity
}

/** The entity with the most associations, filtered by an enum or boolean field if it has one. */
const chooseForExport = (catalog: Catalog) => {
  const [entity] = ownEntities(catalog).sort((a, b) => b.associations.size - a.associations.size)
  if (!entity) return undefined
  const word = entity.columns.find(({ field }) => field.type === 'enum')
  const where =
    word?.field.type === 'enum' ? { [word.name]: word.field.values[0] } : { id: { $lte: 1000 } }
  const paths = [...entity.associations]
    .filter(([, column]) => !column.isSystem)
    .flatMap(([key, column]) => {
      const target = catalog.entities.get(column.target ?? '')
      const display = target?.definition.displayField
      return display ? [`${key}.${display}`] : []
    })
  const own = entity.definition.displayField ?? 'id'
  return {
    entity,
    criteria: { $where: where, $select: [...new Set(['id', own])].concat(paths.slice(0, 3)) },
  }
}
