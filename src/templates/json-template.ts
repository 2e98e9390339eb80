/** JSON whose texts are Liquid templates: what it renders to is always valid JSON, whatever the texts of a record contain. */
import { Output } from 'liquidjs'
import type { JsonPath } from '../definitions/source-file.ts'
import { type LiquidTemplate, parseTemplate, renderTemplate } from './liquid-template.ts'
import type { Reading } from './local-filters.ts'

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
