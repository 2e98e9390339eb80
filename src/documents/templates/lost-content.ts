/** Finds what a template loses when texts are long: a value that ends outside of its page. */
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import type { Mark } from '../typst/wrapper.ts'
import { markOf } from '../typst/wrapper.ts'
import { makeSampleData } from './sample-data.ts'

// More than a page has, however small its letters are.
const lines = Array.from({ length: 200 }, (_, index) => `${index + 1}. This text goes on and on.`)
const pages = lines.join('\n')

/** As long as a name or a title is at most, unless its field says otherwise. */
const longestLine = 250

/** Sample data whose texts are as long as their fields allow; each ends with a mark of its field. */
export const makeLongData = (catalog: Catalog, entity: Entity) => {
  const fields = new Map<string, string>()
  const longText = (owner: Entity, column: Column): string | undefined => {
    const { field, type, name, isSystem } = column
    const most = type.maxLength ?? 0
    const mark = markOf(fields.size)
    // What has a form, such as a number, is never long.
    const isFree = (field.type === 'string' || field.type === 'text') && !type.formRule && !isSystem
    if (!isFree || most <= mark.length || fields.size > 999) return undefined
    const path = `${owner.key}.${name}`
    const known = [...fields].find(([, one]) => one === path)?.[0] ?? mark
    fields.set(known, path)
    const room = Math.min(most, field.type === 'text' ? pages.length : longestLine) - mark.length
    const text = field.type === 'text' ? pages : lines.slice(0, 10).join(' ')
    return `${text.slice(0, room - 1)} ${known}`
  }
  const { json } = makeSampleData(catalog, entity, longText)
  return { json, fields }
}

/** The fields whose values end below or beside the page, each once. */
export const lostFields = (
  marks: readonly Mark[],
  fields: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> =>
  new Map(
    marks.flatMap(({ mark, page, x, y, width, height }) => {
      const field = fields.get(mark)
      const isLost = (height !== null && y > height) || (width !== null && x > width)
      return field !== undefined && isLost ? [[field, page] as const] : []
    }),
  )
