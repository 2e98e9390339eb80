/** The choices of a link follow the validations of its entity, wherever it is entered. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { entityFile } from '../support/definitions/files.ts'
import { workflowOf } from '../support/definitions/workflow-of.ts'
import { actionsAnswer, finds, foundOf } from './support/given.ts'
import { openConsole, press } from './support/open-console.tsx'
import { button, dialogOf } from './support/parts.ts'
import { see, sent } from './support/record-form.ts'

const link = (key: string, name: string, entity = key) => ({ key, name, type: 'manyToOne', entity })
const name = { key: 'name', name: 'Name', type: 'string' }
const project = {
  ...entityFile('building', { displayField: 'name' }, [name]),
  ...entityFile('flat', { displayField: 'name' }, [name, link('building', 'Building')]),
  'entities/lease.json': {
    key: 'lease',
    name: 'Lease',
    displayField: 'name',
    fields: [
      name,
      link('building', 'Building'),
      { ...link('flat', 'Flat'), where: { building: { $field: 'building' } } },
    ],
    workflow: workflowOf(
      {
        open: [{ key: 'let', name: 'Let', kind: 'proceedToStep', to: 'let', form: 'let' }],
        let: [],
      },
      { forms: [{ key: 'let', fields: ['building', 'flat'], required: ['building', 'flat'] }] },
    ),
  },
}
const records = {
  building: [
    { id: 3, name: 'Lindenhof 3' },
    { id: 4, name: 'Lindenhof 4' },
  ],
  flat: [{ id: 1, name: 'Flat 1', building_id: 3 }],
  lease: [{ id: 1, name: 'Lease 1', building_id: 3, flat_id: 1 }],
}
const formField = (key: string) => ({
  key,
  column: `${key}_id`,
  name: key,
  type: 'manyToOne',
  required: true,
})
const letAction = {
  key: 'let',
  name: 'Let',
  kind: 'proceedToStep',
  to: { key: 'let', name: 'let' },
  form: { key: 'let', fields: [formField('building'), formField('flat')], callerFields: [] },
}
const answers = {
  'GET /lease/1/actions': actionsAnswer({ data: [letAction] }),
  'GET /api/search': finds(foundOf('building', 4, 'Lindenhof 4', 'name')),
}
const open = (address: string) => openConsole(address, { project, records, answers })
const ofBuilding = (id: number) => expect.objectContaining({ $where: { $and: [{ building: id }] } })

test('in the form of an action they follow what the record has, and what is entered instead', async () => {
  const service = await open('/lease/1')
  await button('Let').click()
  const dialog = dialogOf('Let: Lease 1')
  const flat = dialog.getByRole('combobox', { name: 'Flat' })
  const asked = () => sent(service, 'POST /flat/search')
  await flat.click()
  await expect.poll(asked).toContainEqual(ofBuilding(3))
  await dialog.getByRole('combobox', { name: 'Building' }).fill('Lindenhof 4')
  await page.getByRole('option', { name: 'Lindenhof 4' }).click()
  await flat.fill('Flat')
  await expect.poll(asked).toContainEqual(ofBuilding(4))
})

test('in a cell of a list they follow what its row shows', async () => {
  const columns = encodeURIComponent(JSON.stringify(['name', 'building.name', 'flat.name']))
  const service = await open(`/lease?c=${columns}`)
  await see(page.getByText('Lease 1'))
  await press(page.getByRole('grid'), '{End}{F2}')
  await page.getByRole('combobox', { name: /^Flat/ }).click()
  await expect.poll(() => sent(service, 'POST /flat/search')).toContainEqual(ofBuilding(3))
})
