/** Columns of an export with the names of choices and steps in place of their keys. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { emptyTables, shareExports } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'ticket', 'ticket_line')
  const { ask } = service
  for (const urgency of ['low', 'high', 'sum', null])
    await ask('POST', '/ticket', { body: { urgency } })
  await ask('POST', '/ticket/1/proceedToStep', { body: { action: 'end' } })
  for (const ticket_id of [1, 2, null]) await ask('POST', '/ticket_line', { body: { ticket_id } })
})

test('a column has names only where its format asks for them; what has no name stays', async () => {
  const { text } = await exportOf(service, '/ticket/export')
  assert.deepEqual(readCells(text), [
    ['urgency', 'Urgency', 'Step', 'Step key'],
    ['low', 'low', 'done', 'done'],
    ['high', 'High, "very"', 'A draft', 'draft'],
    ['sum', "'=A1'", 'A draft', 'draft'],
    [null, null, 'A draft', 'draft'],
  ])
})

test('names of linked records are those of their entity, also in JSON', async () => {
  const { text } = await exportOf(service, '/ticket_line/export?format=json')
  assert.deepEqual(JSON.parse(text), [
    { Urgency: 'low', Step: 'done' },
    { Urgency: 'High, "very"', Step: 'A draft' },
    { Urgency: null, Step: null },
  ])
})

test('a workbook and a Parquet file are made of the same columns', async () => {
  for (const format of ['xlsx', 'parquet'])
    assert.equal((await exportOf(service, `/ticket/export?format=${format}`)).status, 200)
})

test('a column that is selected keeps the format of the definition, which entities name', async () => {
  const { text } = await exportOf(service, '/ticket_line/export', {
    body: { $select: ['id', 'ticket.urgency'], $where: { id: 2 } },
  })
  assert.deepEqual(readCells(text)[1], ['2', 'High, "very"'])
  const { exportSettings } = (await service.ask('GET', '/api/entities/ticket')).json()
  assert.deepEqual(
    exportSettings.columnDefs.map(({ format }: { format: string }) => format),
    ['key', 'name', 'name', 'key'],
  )
})

test('with names=true every column has names, and the label of its field where it has no other', async () => {
  const { text } = await exportOf(service, '/ticket_line/export?names=true', {
    body: { $select: ['ticket.urgency', 'ticket', '_created_by.email'], $where: { id: 2 } },
  })
  assert.deepEqual(readCells(text), [
    ['Urgency', 'ticket', 'Created by › E-mail'],
    ['High, "very"', '2', 'admin@example.com'],
  ])
  const all = await exportOf(service, '/ticket/export?names=true')
  assert.deepEqual(readCells(all.text).slice(0, 3), [
    ['urgency', 'Urgency', 'Step', 'Step key'],
    ['low', 'low', 'done', 'done'],
    ['High, "very"', 'High, "very"', 'A draft', 'A draft'],
  ])
})
