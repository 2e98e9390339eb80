/** The names that a template needs: those in it, and in files that it names, at any depth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesIn } from '../../../src/documents/render-document.ts'

const files = new Map(
  Object.entries({
    'order.typ': '#import "parts/table.typ": *\n#record.number',
    'parts/table.typ': '#import "../cell.typ": cell\n#record.lines',
    'cell.typ': '#import "order.typ"\nproduct',
    'other.typ': 'secret',
    'data.csv': 'column',
  }).map(([path, text]) => [path, Buffer.from(text)]),
)

for (const [main, source, needed, others] of [
  ['order.typ', undefined, ['number', 'lines', 'product'], ['secret', 'column']],
  ['parts/table.typ', undefined, ['number', 'lines', 'product'], ['secret']],
  ['template_source', '#import "cell.typ": *', ['product', 'number'], ['secret']],
  ['template_source', '#(record.orders)["lines_2"]', ['record', 'orders', 'lines_2'], ['lines']],
  ['template_source', '#record.at("lines")', ['lines'], []],
  ['template_source', '', [], ['lines']],
  ['gone.typ', undefined, [], ['lines']],
] as const)
  test(`${source ?? main} needs ${needed.join(', ') || 'nothing'}`, () => {
    const names = namesIn({ main, files, ...(source !== undefined && { source }) })
    for (const name of needed) assert.ok(names.has(name), name)
    for (const name of others) assert.equal(names.has(name), false, name)
  })
