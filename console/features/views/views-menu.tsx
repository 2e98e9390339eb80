/** The views of a list: choose one, save what is on the screen, go back to what was saved. */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../list/list-state.ts'
import { useSession } from '../session/session.ts'
import { isChanged, type SavedView, searchOf, useViewChanges, viewsQuery } from './views.ts'

const SaveViewDialog = lazy(async () => ({
  default: (await import('./save-view-dialog.tsx')).SaveViewDialog,
}))

type MenuProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
}

export const ViewsMenu = (props: MenuProps): ReactNode => {
  const { views: texts } = useTexts()
  const { me, entities } = useSession()
  const isAllowed = entities.get('saved_view')?.permissions.create === true
  const views = useQuery({ ...viewsQuery(props.entity.key, me), enabled: isAllowed })
  const current = views.data?.find(({ id }) => id === props.search.view)
  useOpenedByLink(props, current)
  const [isSaving, setIsSaving] = useState(false)
  const items = useItems(props, views.data ?? [], current, () => setIsSaving(true))
  if (!isAllowed) return null
  const changed = current && isChanged(props.search, current)
  return (
    <>
      <Menu
        label={texts.title}
        look="quiet"
        items={items}
        face={
          <>
            <span dir="auto">{current?.name ?? texts.title}</span>
            {changed && <small>{texts.changed}</small>} <span aria-hidden="true">▾</span>
          </>
        }
      />
      {isSaving && (
        <Suspense>
          <SaveViewDialog
            {...props}
            onClose={() => setIsSaving(false)}
            onSaved={(id) => props.onChange({ ...props.search, view: id })}
          />
        </Suspense>
      )}
    </>
  )
}

/** An address that names a view alone shows, when it is opened, what the view holds. */
const useOpenedByLink = ({ search, onChange }: MenuProps, current: SavedView | undefined): void => {
  const opened = useRef<number>(undefined)
  useEffect(() => {
    if (!current || opened.current === current.id) return
    opened.current = current.id
    if (Object.keys(search).length === 1) onChange(searchOf(current))
  }, [current, search, onChange])
}

const useItems = (
  { entity, search, onChange }: MenuProps,
  views: readonly SavedView[],
  current: SavedView | undefined,
  onSaveAs: () => void,
): readonly MenuItem[] => {
  const { views: texts } = useTexts()
  const { change, remove } = useViewChanges(entity.key)
  const choices = views.map((view) => ({
    label: view.sharing === 'me' ? view.name : `${view.name} (${texts.sharing[view.sharing]})`,
    isChecked: view.id === current?.id,
    onSelect: () => onChange(searchOf(view)),
  }))
  const saveAs = { label: texts.saveAs, onSelect: onSaveAs }
  const all = { label: texts.none, onSelect: () => onChange({}) }
  if (!current) return [...choices, saveAs]
  const changed = isChanged(search, current)
  return [
    ...choices,
    all,
    {
      label: texts.save,
      isDisabled: !changed,
      onSelect: () => change.mutate({ id: current.id, search }),
    },
    { label: texts.reset, isDisabled: !changed, onSelect: () => onChange(searchOf(current)) },
    saveAs,
    {
      label: texts.remove(current.name),
      onSelect: () => remove.mutate(current.id, { onSuccess: () => onChange({}) }),
    },
  ]
}
