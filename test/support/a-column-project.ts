/** A project with every kind of export column, and roles that see less. */
import type { ProjectFiles } from './service.ts'

const cell = { key: 'note', type: 'text' }

/** The files of the project. */
export const exportProject: ProjectFiles = {
  'entities/continent.json': {
    key: 'continent',
    fields: [{ key: 'name', type: 'string', required: true }],
  },
  'entities/country.json': {
    key: 'country',
    fields: [
      { key: 'name', type: 'string', required: true },
      { key: 'continent', type: 'manyToOne', entity: 'continent' },
    ],
  },
  'entities/customer.json': {
    key: 'customer',
    ownership: true,
    fields: [
      { key: 'name', type: 'string', required: true },
      { key: 'country', type: 'manyToOne', entity: 'country' },
      { key: 'invoices', type: 'oneToMany', entity: 'invoice', mappedBy: 'customer' },
    ],
    exportSettings: {
      useFieldKeyAsHeader: true,
      columnDefs: [{ headerName: 'Ignored', field: 'name' }, { field: 'country.continent.name' }],
    },
  },
  // No exportSettings: every field.
  'entities/invoice.json': {
    key: 'invoice',
    fields: [
      { key: 'number', type: 'string', required: true },
      { key: 'customer', type: 'manyToOne', entity: 'customer' },
      { key: 'total', type: 'decimal', precision: 30, scale: 4 },
      { key: 'is_paid', type: 'boolean' },
      { key: 'due', type: 'date' },
      { key: 'sent_at', type: 'timestamp' },
      { key: 'serial', type: 'bigint' },
      { key: 'extra', type: 'json' },
      cell,
    ],
  },
  'entities/labelled.json': {
    key: 'labelled',
    fields: [{ key: 'customer', type: 'manyToOne', entity: 'customer' }, cell],
    exportSettings: {
      columnDefs: [
        { headerName: '=Label, "quoted"', field: 'note' },
        { headerName: 'Link', field: 'customer' },
        { headerName: 'Land', field: 'customer.country.name' },
        { headerName: 'Who', field: '_created_by.email' },
        { field: '_updated_at' },
        { headerName: 'ID', field: 'id' },
      ],
    },
  },
  'entities/plain.json': {
    key: 'plain',
    fields: [cell],
    exportSettings: { escapeFormulas: false, columnDefs: [{ field: 'note' }] },
  },
  'roles/reader.json': {
    key: 'reader',
    permissions: {
      labelled: { read: true, export: true, hiddenFields: ['note'] },
      customer: { create: true, read: 'own', export: true },
      plain: { read: true },
    },
  },
}
