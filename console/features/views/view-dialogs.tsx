/** What is asked and said of views, loaded together when it is needed first. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { RemoveViewDialog } from './remove-view-dialog.tsx'
import { RenameViewDialog } from './rename-view-dialog.tsx'
import { RenamedNote } from './renamed-note.tsx'
import { SaveViewDialog } from './save-view-dialog.tsx'
import type { Asked, SavedView } from './views.ts'

type DialogsProps = {
  readonly asked: Asked
  readonly entity: Entity
  readonly search: ListSearch
  readonly current: SavedView | undefined
  /** Asks or says something else, or nothing. */
  readonly onAsk: (asked: Asked | undefined) => void
  readonly onSaved: (id: number) => void
  readonly onChange: (search: ListSearch) => void
}

export const ViewDialogs = (props: DialogsProps): ReactNode => {
  const { asked, entity, search, current, onAsk, onSaved, onChange } = props
  const onClose = () => onAsk(undefined)
  if (typeof asked === 'object')
    return <RenamedNote entity={entity.key} renamed={asked} onClose={onClose} />
  if (asked === 'save')
    return (
      <SaveViewDialog
        entity={entity}
        search={search}
        onClose={onClose}
        onSaved={(id) => {
          onSaved(id)
          onChange({ ...search, view: id })
        }}
      />
    )
  if (!current) return null
  if (asked === 'rename')
    return (
      <RenameViewDialog
        entity={entity.key}
        view={current}
        onClose={onClose}
        onRenamed={(before) => onAsk({ id: current.id, before })}
      />
    )
  return (
    <RemoveViewDialog
      entity={entity.key}
      view={current}
      onClose={onClose}
      onRemoved={() => onChange({})}
    />
  )
}
