/** The column names of a field's earlier keys. */
import type { Column } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'

/** Latest first; a many-to-one had `<key>_id`. */
export const earlierColumns = ({ field }: Column): readonly string[] =>
  field.type === 'oneToMany'
    ? []
    : earlierKeys(field.was).map((key) => (field.type === 'manyToOne' ? `${key}_id` : key))
