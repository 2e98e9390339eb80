/** The dialogs of saved views: save, rename and remove, and the note that a view was renamed. Loaded when the first is opened. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId } from 'react'
import { request, searchRecords } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import '../forms/forms.css'
import type { ListSearch } from '../grid/list-state.ts'
import { useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { bodyOf, keyOf, type SavedView, type Sharing, viewEntity } from './views.ts'

/** A view with the name that it had before. */
type Renamed = { readonly id: number; readonly before: string }

export type ShownDialog = 'save' | 'rename' | 'remove' | Renamed

type DialogsProps = {
  readonly shown: ShownDialog
  readonly entity: Entity
  readonly search: ListSearch
  readonly current: SavedView | undefined
  /** Shows another dialog, or none. */
  readonly onShow: (next: ShownDialog | undefined) => void
  readonly onSaved: (id: number) => void
  readonly onChange: (search: ListSearch) => void
}

export const ViewDialogs = (props: DialogsProps): ReactNode => {
  const { shown, entity, search, current, onShow, onSaved, onChange } = props
  const onClose = () => onShow(undefined)
  if (typeof shown === 'object')
    return <RenamedNote entity={entity.key} renamed={shown} onClose={onClose} />
  if (shown === 'save')
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
  if (shown === 'rename')
    return (
      <RenameViewDialog
        entity={entity.key}
        view={current}
        onClose={onClose}
        onRenamed={(before) => onShow({ id: current.id, before })}
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

type SaveProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly onClose: () => void
  readonly onSaved: (id: number) => void
}

/** Saves what a list shows under a name, for the user or for others. */
const SaveViewDialog = ({ entity, search, onClose, onSaved }: SaveProps): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().views
  const { entities } = useSession()
  const { create } = useViewChanges(entity.key)
  const id = useId()
  // Users who may change all views may create views for others.
  const mayShare = entities.get(viewEntity)?.permissions.update === true
  const offered = useAudiences(mayShare)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const { sharing, roleId } = offered[Number(form.get('audience'))] ?? { sharing: 'me' }
    const name = String(form.get('name')).trim()
    const saved = await create.mutateAsync({ name, sharing, roleId, search }).catch(() => undefined)
    if (!saved) return
    onSaved(saved.id)
    onClose()
  }
  return (
    <Dialog title={texts.saveTitle} onClose={onClose}>
      <form className="action-form" onSubmit={(event) => void submit(event)}>
        <ViewName id={id} />
        {mayShare && (
          <div className="field-row">
            <label htmlFor={`${id}-sharing`}>{texts.sharedWith}</label>
            <select id={`${id}-sharing`} name="audience" className="field-input">
              {offered.map(({ text }, at) => (
                <option key={text} value={at}>
                  {text}
                </option>
              ))}
            </select>
          </div>
        )}
        {create.error && <p role="alert">{create.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={create.isPending}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** For whom a view may be saved: the user, each of their roles, all. */
const useAudiences = (mayShare: boolean): readonly Audience[] => {
  const { sharing } = useTexts().views
  const { me } = useSession()
  const own = typeof me.security_role_id === 'number' ? me.security_role_id : undefined
  const hasSeveral = mayShare && me.roles.length > 1
  const keys = me.roles.map(({ key }) => key)
  // `me` has the id of the first one alone.
  const { data } = useQuery({ ...rolesQuery(keys), enabled: hasSeveral })
  const several = me.roles.flatMap(({ key, name }) => {
    const role = data?.find((one) => one.key === key)
    return role
      ? [{ sharing: 'role', roleId: role.id, text: `${sharing.role} (${name})` } as const]
      : []
  })
  const one =
    own === undefined ? [] : [{ sharing: 'role', roleId: own, text: sharing.role } as const]
  return [
    { sharing: 'me', text: sharing.me },
    ...(hasSeveral && several.length > 0 ? several : one),
    { sharing: 'all', text: sharing.all },
  ]
}

type RenameProps = {
  readonly entity: string
  readonly view: SavedView
  readonly onClose: () => void
  /** Called with the name that it had before. */
  readonly onRenamed: (before: string) => void
}

/** Gives a saved view another name. */
const RenameViewDialog = ({ entity, view, onClose, onRenamed }: RenameProps): ReactNode => {
  const texts = useWorkTexts().views
  const { rename } = useViewChanges(entity)
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (name === view.name) return onClose()
    rename.mutate({ id: view.id, name }, { onSuccess: () => onRenamed(view.name) })
  }
  return (
    <Dialog title={texts.renameTitle(view.name)} onClose={onClose}>
      <form className="action-form" onSubmit={submit}>
        {view.sharing !== 'me' && <p>{texts.renameHelp}</p>}
        <ViewName id={id} name={view.name} />
        {rename.error && <p role="alert">{rename.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={rename.isPending}>
            {texts.renameIt}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type NameProps = { readonly id: string; readonly name?: string }

/** The field for the name of a view. */
const ViewName = ({ id, name }: NameProps): ReactNode => (
  <div className="field-row">
    <label htmlFor={`${id}-name`}>{useWorkTexts().views.name}</label>
    <input
      id={`${id}-name`}
      name="name"
      className="field-input"
      dir="auto"
      defaultValue={name}
      maxLength={80}
      required
      // Not only blanks.
      pattern=".*\S.*"
    />
  </div>
)

type NoteProps = {
  readonly entity: string
  readonly renamed: Renamed
  readonly onClose: () => void
}

/** Names the former name of a view, and offers to give it back. */
const RenamedNote = ({ entity, renamed, onClose }: NoteProps): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().views
  const { rename } = useViewChanges(entity)
  const { id, before } = renamed
  const undo = () => rename.mutate({ id, name: before }, { onSuccess: onClose })
  useShortcuts([{ keys: 'z', label: common.undo, run: undo }])
  return (
    <span className="view-renamed" role="status">
      <span dir="auto">{texts.wasCalled(before)}</span>
      <Button look="quiet" disabled={rename.isPending} onClick={undo}>
        {common.undo}
      </Button>
      <IconButton label={common.close} icon={closeIcon} onClick={onClose} />
      {rename.error && <span role="alert">{rename.error.message}</span>}
    </span>
  )
}

type RemoveProps = {
  readonly entity: string
  readonly view: SavedView
  readonly onClose: () => void
  readonly onRemoved: () => void
}

/** Asks before a saved view is removed: others may use it, and removing it cannot be undone. */
const RemoveViewDialog = ({ entity, view, onClose, onRemoved }: RemoveProps): ReactNode => {
  const texts = useWorkTexts().views
  const { remove } = useViewChanges(entity)
  const confirm = () =>
    remove.mutate(view.id, {
      onSuccess: () => {
        onClose()
        onRemoved()
      },
    })
  return (
    <Dialog title={texts.removeTitle(view.name)} onClose={onClose}>
      {view.sharing !== 'me' && <p>{texts.removeHelp}</p>}
      {remove.error && <p role="alert">{remove.error.message}</p>}
      <DialogActions onCancel={onClose}>
        <Button look="danger" disabled={remove.isPending} onClick={confirm}>
          {texts.removeIt}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

// The changes of saved views that have a dialog, and are loaded with it.

/** Whom a view is for, and how that is shown. */
type Audience = {
  readonly sharing: Sharing
  readonly roleId?: number
  readonly text: string
}

/** The roles with these keys, as far as the user may read them and thus link to them. */
const rolesQuery = (keys: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'views', { roles: keys }],
    queryFn: async ({ signal }) => {
      const body = { $where: { key: { $in: keys } }, $select: ['id', 'key'] }
      return (await searchRecords('security_role', body, { signal })).data
    },
  })

type NewView = {
  readonly name: string
  readonly sharing: Sharing
  readonly roleId: number | undefined
  readonly search: ListSearch
}

/** Creates, renames and removes views of an entity. */
const useViewChanges = (entity: string) => {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: keyOf(entity) })
  const create = useMutation({
    mutationFn: ({ name, sharing, roleId, search }: NewView) =>
      request<RecordRow>('/saved_view', {
        method: 'POST',
        body: {
          entity_key: entity,
          name,
          is_shared_with: sharing,
          ...bodyOf(search),
          ...(sharing === 'role' && { security_role_id: roleId }),
        },
      }),
    onSuccess,
  })
  const rename = useMutation({
    mutationFn: ({ id, name }: { readonly id: number; readonly name: string }) =>
      request(`/saved_view/${id}`, { method: 'PATCH', body: { name } }),
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: (id: number) => request(`/saved_view/${id}`, { method: 'DELETE' }),
    onSuccess,
  })
  return { create, rename, remove }
}
