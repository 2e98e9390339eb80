/** What a person sees when the service is up: where it is, and three lines to paste. */
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { freeSampleBody, neededColumns, sampleBody } from './sample-values.ts'

type Welcome = {
  readonly base: string
  readonly project: Project
  /** Of the development issuer; undefined with an issuer of one's own. */
  readonly token: string | undefined
  readonly pool: Pool
}

/** The lines fit the project at hand: they name its entities and fields. */
export const welcome = async ({ base, project, token, pool }: Welcome): Promise<string> => {
  const { catalog, settings } = project
  const title = settings.name ?? 'Docket'
  const head = `
  ${title} is up at ${base}
  API page        ${base}/api/docs
`
  if (token === undefined) return `${head}\n`
  return `${head}
  A token for 30 days:
  export TOKEN=${token}
${await linesFor(pool, catalog, base)}
`
}

const linesFor = async (pool: Pool, catalog: Catalog, base: string): Promise<string> => {
  const created = chooseForCreate(catalog)
  const body = created && (await freeSampleBody(pool, created))
  const exported = chooseForExport(catalog)
  const json = `-H 'Content-Type: application/json'`
  const curl = (path: string) =>
    `curl -sS -w '\\n' ${base}${path} -H "Authorization: Bearer $TOKEN"`
  return `
  Create a ${created?.name.toLowerCase() ?? 'record'}, export with a filter and columns of associations, read one:
${created ? `  ${curl(`/${created.key}`)} ${json} -d '${JSON.stringify(body)}'` : ''}
${exported ? `  ${curl(`/${exported.entity.key}/export`)} ${json} -d '${JSON.stringify(exported.criteria)}' -o ${exported.entity.key}.csv && head -3 ${exported.entity.key}.csv` : ''}
${exported ? `  ${curl(`/${exported.entity.key}/1`)}` : ''}`
}

const ownEntities = (catalog: Catalog) =>
  [...catalog.entities.values()].filter((entity) => !entity.isNative)

/** The entity that asks for the least, among those that need no other record. */
const chooseForCreate = (catalog: Catalog) => {
  const [entity] = ownEntities(catalog)
    .filter((one) => sampleBody(one) !== undefined)
    .sort((a, b) => neededColumns(a).length - neededColumns(b).length)
  return entity
}

/** The entity with the most associations, filtered by an enum or a flag where it has one. */
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
