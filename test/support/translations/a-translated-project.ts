/** A project in English with German and Austrian translations, a role that does not see everything, and a workflow. */

import { namedRole } from '../definitions/files.ts'
import type { ProjectFiles } from '../service.ts'

export const german = {
  name: 'Laden',
  menu: { daily: 'Täglich' },
  entities: {
    order: {
      name: 'Bestellung',
      pluralName: 'Bestellungen',
      description: 'Was Kunden wollen.',
      fields: {
        number: { name: 'Nummer', description: 'Wie auf dem Papier.' },
        urgency: { name: 'Dringlichkeit', values: { low: 'Niedrig', high: 'Hoch' } },
        weight: { name: 'Gewicht', unit: 'Stück' },
        secret: { name: 'Geheimnis' },
        customer: { name: 'Kunde' },
      },
      steps: { draft: 'Entwurf', review: 'In Prüfung', done: 'Fertig' },
      actions: { submit: 'Einreichen', approve: 'Genehmigen' },
      imports: { old: 'Alte Bestellungen' },
      columns: { Client: 'Auftraggeber' },
    },
    customer: { name: 'Kunde', pluralName: 'Kunden', fields: { name: { name: 'Firma' } } },
  },
  roles: { clerk: { name: 'Sachbearbeitung' } },
}

export const translatedProject = {
  'docket.json': {
    name: 'Shop',
    menu: {
      groups: [
        { key: 'daily', name: 'Daily', entities: ['task', 'order'] },
        { key: 'plain', entities: ['customer'] },
      ],
      hidden: ['security_role'],
    },
  },
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    pluralName: 'Orders',
    description: 'What customers want.',
    displayField: 'number',
    fields: [
      {
        key: 'number',
        name: 'Number',
        description: 'As on paper.',
        type: 'string',
        required: true,
      },
      {
        key: 'urgency',
        name: 'Urgency',
        type: 'enum',
        values: [{ value: 'low', name: 'Low' }, 'high'],
      },
      { key: 'weight', name: 'Weight', type: 'integer', unit: 'pieces' },
      { key: 'secret', name: 'Secret', type: 'string' },
      { key: 'customer', name: 'Customer', type: 'manyToOne', entity: 'customer' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          key: 'draft',
          name: 'Draft',
          actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review', form: 'submit' }],
        },
        {
          key: 'review',
          name: 'In review',
          actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }],
        },
        { key: 'done', name: 'Done', final: true },
      ],
      forms: [{ key: 'submit', fields: ['weight'] }],
    },
    imports: [{ key: 'old', name: 'Old orders', columns: { No: 'number' } }],
    exportSettings: {
      columnDefs: [
        { headerName: 'Number', field: 'number' },
        { headerName: 'Client', field: 'customer.name' },
        { field: 'urgency' },
        { headerName: 'Secret', field: 'secret' },
        { headerName: 'Step', field: '_step' },
      ],
    },
  },
  'entities/customer.json': {
    key: 'customer',
    name: 'Customer',
    pluralName: 'Customers',
    displayField: 'name',
    fields: [{ key: 'name', name: 'Company', type: 'string', required: true }],
  },
  ...namedRole('Clerk', {
    order: { read: true, export: true, hiddenFields: ['secret'] },
    '*': { read: true },
  }),
  'translations/de.json': german,
  'translations/de-AT.json': {
    entities: { order: { fields: { urgency: { name: 'Eiligkeit' } } } },
  },
} satisfies ProjectFiles
