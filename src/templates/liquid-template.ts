/**
 * Liquid templates: of notifications, and of e-mails. Their names are known from the text alone, so that
 * a wrong name is found before a template runs.
 */
import {
  analyzeSync,
  Context,
  defaultOperators,
  Liquid,
  type Operators,
  Output,
  type Template,
  toValueSync,
  Value,
} from 'liquidjs'
import type { JsonPath } from '../definitions/source-file.ts'
import { registerExactNumbers } from './exact-numbers.ts'
import { type Reading, registerLocalFilters, setReading } from './local-filters.ts'

/** A parsed template with the names that it reads. */
export type LiquidTemplate = {
  readonly template: readonly Template[]
  readonly names: readonly TemplateName[]
  readonly isHtml: boolean
}

/** A name such as `record.supplier.name`; undefined segments are computed at run time. */
export type TemplateName = {
  readonly segments: readonly (string | undefined)[]
  /** Its place, counted from 1. */
  readonly line: number
}

// Records are data: their texts are never parsed as templates, and templates read own properties only.
// The limits end accidental endless loops.
const options = {
  ownPropertyOnly: true,
  strictFilters: true,
  parseLimit: 1_000_000,
  renderLimit: 1_000,
  memoryLimit: 10_000_000,
} as const
// These tags would read files of the machine.
const refusedTags = ['include', 'render', 'layout', 'block']
const createEngine = (more: { readonly outputEscape?: 'escape' } = {}): Liquid => {
  const engine = new Liquid({ ...options, ...more, operators: linearOperators, templates: {} })
  registerSearchFilters(engine)
  registerExactNumbers(engine)
  registerLocalFilters(engine)
  for (const tag of refusedTags) delete engine.tags[tag]
  return engine
}
type Kind = 'text' | 'html'
const engines: Partial<Record<Kind, Liquid>> = {}
/** Created with the first template, because many commands need none. */
const engineOf = (kind: Kind): Liquid => {
  // In HTML every value is text: text of a record is shown, never interpreted.
  engines[kind] ??= createEngine(kind === 'html' ? { outputEscape: 'escape' } : {})
  return engines[kind]
}

/** Parses a template; throws an error with message and place. */
export const parseTemplate = (text: string, kind: Kind = 'text'): LiquidTemplate => {
  const template = engineOf(kind).parse(text)
  const { globals } = analyzeSync(template, { partials: false })
  return { template, names: namesIn(globals), isHtml: kind === 'html' }
}

type Globals = ReturnType<typeof analyzeSync>['globals']

/** The names that a template reads, as Liquid found them. */
const namesIn = (globals: Globals): readonly TemplateName[] =>
  Object.values(globals).flatMap((variables) =>
    variables.map(({ segments, location }) => ({
      line: location.row,
      segments: (segments as readonly unknown[]).map((segment) =>
        // `tags[0]` has a number.
        typeof segment === 'object' ? undefined : String(segment),
      ),
    })),
  )

/** Renders a template; text of the data is never parsed. */
export const renderTemplate = (
  { template, isHtml }: LiquidTemplate,
  data: object,
  reading: Reading,
): string => {
  const engine = engineOf(isHtml ? 'html' : 'text')
  const context = new Context(data, engine.options, { sync: true }, { liquid: engine })
  setReading(context, reading)
  return String(engine.renderSync([...template], context)).trim()
}

/** The filters of a template, wherever they are. */
export const filtersOf = ({ template }: LiquidTemplate): ReadonlySet<string> => {
  const args = nodesOf(template).flatMap((node) => [...(node.arguments?.() ?? [])])
  const values = args.filter((one) => one instanceof Value)
  return new Set(values.flatMap(({ filters }) => filters.map(({ name }) => name)))
}

/** The names of what is printed where it stands: not those of conditions alone. */
export const printedNames = ({ template }: LiquidTemplate): readonly TemplateName[] => {
  const outputs = nodesOf(template).filter((node) => node instanceof Output)
  return namesIn(analyzeSync([...outputs], { partials: false }).globals)
}

/** The parts of templates with all parts inside of them. */
const nodesOf = (templates: readonly Template[]): readonly Template[] =>
  templates.flatMap((node) => {
    const inner = node.children ? (toValueSync(node.children(false, true)) as Template[]) : []
    return [node, ...nodesOf(inner)]
  })

// Filters of Liquid that search a text in another one. JavaScript's own search takes time that grows with
// the product of both lengths; here it grows with their sum. The results are the same.

// Up to this length JavaScript's own search is always fast.
const shortNeedle = 32

type Which = 'all' | 'first' | 'last'
const filters: Readonly<Record<string, Which>> = {
  replace: 'all',
  replace_first: 'first',
  replace_last: 'last',
  remove: 'all',
  remove_first: 'first',
  remove_last: 'last',
  split: 'all',
}

type Filter = (this: { readonly context: Context }, ...values: unknown[]) => unknown

/** Replaces the searching filters of an engine. */
const registerSearchFilters = (engine: Liquid): void => {
  for (const [name, which] of Object.entries(filters)) {
    const usual = engine.filters[name] as Filter
    const filter: Filter = function (value, searched, ...others) {
      const needle = textOf(searched)
      if (needle.length <= shortNeedle) return usual.call(this, value, searched, ...others)
      const text = textOf(value)
      const pieces = cutAt(text, needle, which)
      if (name === 'split') return withoutEmptyEnd(pieces)
      const replacement = name.startsWith('replace') ? textOf(others[0]) : ''
      this.context.memoryLimit.use(text.length + (pieces.length - 1) * replacement.length)
      return pieces.join(replacement)
    }
    engine.registerFilter(name, filter)
  }
}

/** The operators, with our search for `contains`. */
const linearOperators: Operators = {
  ...defaultOperators,
  contains: (left, right, context) => {
    const [text, searched] = [toValueSync(left), toValueSync(right)]
    const isLong = typeof text === 'string' && String(searched).length > shortNeedle
    return isLong ? hasPlace(text, String(searched)) : defaultContains(left, right, context)
  },
}

const defaultContains = defaultOperators.contains as NonNullable<Operators[string]>

const hasPlace = (text: string, needle: string): boolean => !placesOf(text, needle).next().done

// As Liquid reads a value as text.
const textOf = (input: unknown): string => {
  const value = toValueSync(input)
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value === undefined || value === null ? '' : String(value)
}

/** Splits a text at every place of a needle. */
const cutAt = (text: string, needle: string, which: Which): string[] => {
  const pieces: string[] = []
  let end = 0
  let last: number | undefined
  for (const place of placesOf(text, needle)) {
    last = place
    if (which === 'last' || place < end) continue
    pieces.push(text.slice(end, place))
    end = place + needle.length
    if (which === 'first') break
  }
  if (which !== 'last' || last === undefined) return [...pieces, text.slice(end)]
  return [text.slice(0, last), text.slice(last + needle.length)]
}

/** Every place of a needle, including overlapping ones, by the algorithm of Knuth, Morris and Pratt. */
function* placesOf(text: string, needle: string): Generator<number> {
  const borders = bordersOf(needle)
  let matched = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    while (matched > 0 && unit !== needle.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === needle.charCodeAt(matched)) matched++
    if (matched < needle.length) continue
    yield index - needle.length + 1
    matched = borders[matched - 1] ?? 0
  }
}

/** For each prefix of a needle, the length of its longest proper prefix that is also a suffix. */
const bordersOf = (needle: string): Uint32Array => {
  const borders = new Uint32Array(needle.length)
  let length = 0
  for (let index = 1; index < needle.length; index++) {
    const unit = needle.charCodeAt(index)
    while (length > 0 && unit !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (unit === needle.charCodeAt(length)) length++
    borders[index] = length
  }
  return borders
}

const withoutEmptyEnd = (pieces: readonly string[]): string[] =>
  pieces.slice(0, pieces.findLastIndex((piece) => piece !== '') + 1)

// JSON whose texts are Liquid templates: what it renders to is always valid JSON, whatever the texts of a record contain.

/** The texts of a JSON value, each with its place. */
export const textsIn = (
  value: unknown,
  path: JsonPath = [],
): { path: JsonPath; text: string }[] => {
  if (typeof value === 'string') return [{ path, text: value }]
  if (Array.isArray(value)) return value.flatMap((inner, index) => textsIn(inner, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key]))
}

/** Renders every text; a text that is one output with the filter `json` at its end becomes that value, and null if there is none. */
export const renderJson = (value: unknown, data: object, reading: Reading): unknown => {
  if (typeof value === 'string') return renderText(value, data, reading)
  if (Array.isArray(value)) return value.map((inner) => renderJson(inner, data, reading))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, renderJson(inner, data, reading)]),
  )
}

const renderText = (text: string, data: object, reading: Reading): unknown => {
  const template = parseTemplate(text)
  const rendered = renderTemplate(template, data, reading)
  if (!isValue(template)) return rendered
  return rendered === '' ? null : JSON.parse(rendered)
}

const isValue = ({ template }: LiquidTemplate): boolean => {
  const [only, ...others] = template
  return others.length === 0 && only instanceof Output && only.value.filters.at(-1)?.name === 'json'
}
