/** The heading of a list, and the menu of its views: choose one, save what is on the screen, go back to what was saved. */
import { useNavigate } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { laterPart } from '../../parts/later.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { PageTitle } from '../session/page-title.tsx'
import { findsRemoved, useSession } from '../session/session.ts'
import type { ShownDialog } from './view-dialogs.tsx'
import {
  isChanged,
  mayChange,
  mayRemove,
  type SavedView,
  searchOf,
  useSaveView,
  useViews,
  viewEntity,
} from './views.ts'
import './views.css'

const ViewDialogs = laterPart(async () => (await import('./view-dialogs.tsx')).ViewDialogs)

type HeadingProps = { readonly entity: Entity; readonly search: ListSearch }

/** The heading of a list; the title of its tab begins with the view that is open. */
export const ListHeading = ({ entity, search }: HeadingProps): ReactNode => {
  const { isPending, current } = useViews(entity, search)
  const parts = current ? [current.name, entity.pluralName] : [entity.pluralName]
  return (
    <>
      <PageTitle of={isPending && search.view !== undefined ? undefined : parts} />
      <h1 dir="auto">{entity.pluralName}</h1>
    </>
  )
}

type MenuProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
}

export const ViewsMenu = (props: MenuProps): ReactNode => {
  const { views: texts, removed } = useTexts()
  const navigate = useNavigate()
  const { isAllowed, all, current } = useViews(props.entity, props.search)
  const [dialog, setDialog] = useState<ShownDialog>()
  const [saved, setSaved] = useSaidSaved()
  const { changed, acts, items, error } = useActs(props, current, { setDialog, setSaved })
  const choices = all.map((view) => ({
    label: view.sharing === 'me' ? view.name : `${view.name} (${texts.sharing[view.sharing]})`,
    isChecked: view.id === current?.id,
    onSelect: () => props.onChange(searchOf(view)),
  }))
  const toRemoved = () => void navigate({ to: '/-/removed', search: { entity: props.entity.key } })
  if (!isAllowed) return null
  return (
    <div className="views">
      <Menu
        label={texts.title}
        look="quiet"
        items={[
          ...choices,
          ...items.map((item, at) => ({ ...item, isFirstOfGroup: at === 0 && all.length > 0 })),
          ...(findsRemoved(props.entity)
            ? [{ label: removed.title, isFirstOfGroup: true, onSelect: toRemoved }]
            : []),
        ]}
        face={
          <>
            <span dir="auto">{current?.name ?? texts.title}</span>
            {changed && <small>{texts.changed}</small>} <span aria-hidden="true">▾</span>
          </>
        }
      />
      {changed && acts.map((act) => <Act key={act.short} {...act} />)}
      <span role="status">{current && saved === current.id && !changed && texts.saved}</span>
      {error && <span role="alert">{error.message}</span>}
      {dialog && (
        <ViewDialogs
          {...props}
          shown={dialog}
          current={current}
          onShow={setDialog}
          onSaved={setSaved}
        />
      )}
    </div>
  )
}

type ShortAct = { readonly short: string; readonly label: string; readonly onSelect: () => void }

const Act = ({ short, label, onSelect }: ShortAct): ReactNode => {
  const act = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // This button disappears with the change.
    currentTarget.closest('.views')?.querySelector('button')?.focus()
    onSelect()
  }
  return (
    <Button look="quiet" title={label} onClick={act}>
      {short}
    </Button>
  )
}

type Callbacks = {
  readonly setDialog: (dialog: ShownDialog) => void
  readonly setSaved: (id: number) => void
}

/** What can be done with what is on the screen: next to the name of the view, and in the menu. */
const useActs = (
  { entity, search, onChange }: MenuProps,
  current: SavedView | undefined,
  { setDialog, setSaved }: Callbacks,
) => {
  const { views: texts, common } = useTexts()
  const { me, entities } = useSession()
  const change = useSaveView(entity.key)
  const rights = entities.get(viewEntity)?.permissions
  const changed = isChanged(search, current)
  const reset = { short: texts.resetShort, isDisabled: !changed }
  const saveAs = {
    short: texts.saveAsShort,
    label: texts.saveAs,
    onSelect: () => setDialog('save'),
  }
  if (!current) {
    const toAll = { ...reset, label: texts.resetAll, onSelect: () => onChange({}) }
    return { changed, acts: [saveAs, toAll], items: [toAll, saveAs], error: null }
  }
  const save = {
    short: common.save,
    label: texts.save,
    isDisabled: !changed,
    onSelect: () =>
      change.mutate({ id: current.id, search }, { onSuccess: () => setSaved(current.id) }),
  }
  const back = { ...reset, label: texts.reset, onSelect: () => onChange(searchOf(current)) }
  const take = { label: texts.remove(current.name), onSelect: () => setDialog('remove') }
  const rename = { label: texts.rename(current.name), onSelect: () => setDialog('rename') }
  const isOwn = mayChange(current, me, rights?.update)
  const own = isOwn ? [save] : [saveAs]
  const items: readonly MenuItem[] = [
    { label: texts.allOf(entity.pluralName), onSelect: () => onChange({}) },
    ...(isOwn ? [save] : []),
    ...[back, saveAs],
    ...(isOwn ? [rename] : []),
    ...(mayRemove(current, me, rights?.delete) ? [take] : []),
  ]
  return { changed, acts: [...own, back], items, error: change.error }
}

const saidMs = 5000

/** The id of the view that was saved last, for some seconds, and what is called when one is saved. */
const useSaidSaved = (): readonly [number | undefined, (id: number) => void] => {
  // Each is a new object, so that each is said for the whole time.
  const [saved, setSaved] = useState<{ readonly id: number }>()
  useEffect(() => {
    if (!saved) return
    const timer = setTimeout(() => setSaved(undefined), saidMs)
    return () => clearTimeout(timer)
  }, [saved])
  return [saved?.id, (id) => setSaved({ id })]
}
