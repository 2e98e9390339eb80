/** Choosing a saved import for a file, and saving what was said of its columns for the next one. */
import { type FormEvent, type ReactNode, useState } from 'react'
import type {
  ColumnChoice,
  ImportColumn,
  ImportLook,
  ImportSettings,
} from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { isObject, isTexts } from '../session/address-values.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { Select } from './file-choice.tsx'
import { useImportTexts } from './import-texts.ts'
import { modesOf } from './mode-choice.tsx'

type ChoiceProps = {
  readonly saved: SavedImports
  readonly settings: ImportSettings
  /** Without any import. */
  readonly none: ImportSettings
  readonly onChange: (settings: ImportSettings) => void
}

/** It is there if something is saved. */
export const SavedChoice = ({ saved, settings, none, onChange }: ChoiceProps): ReactNode => {
  const texts = useImportTexts().saved
  if (saved.all.length === 0) return null
  return (
    <div className="import-line">
      <Select
        label={texts.title}
        value={settings.saved ?? ''}
        options={[['', texts.none], ...saved.all.map(({ id, name }) => [id, name] as const)]}
        onChange={(id) => {
          const chosen = saved.all.find((one) => one.id === id)
          onChange(withSaved(settings, chosen ?? { id: '', kept: keptOf(none) }))
        }}
      />
    </div>
  )
}

type SaveProps = {
  readonly saved: SavedImports
  readonly look: ImportLook
  readonly settings: ImportSettings
  readonly onChange: (settings: ImportSettings) => void
}

export const SaveImport = ({ saved, look, settings, onChange }: SaveProps): ReactNode => {
  const texts = useImportTexts().saved
  const { common } = useTexts()
  const [isDone, setIsDone] = useState(false)
  const [typed, setTyped] = useState<string>()
  const own = saved.all.find(({ id, isOwn }) => isOwn && id === settings.saved)
  const name = typed ?? own?.name ?? ''
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    onChange({ ...settings, saved: saved.save(name.trim(), look.columns, keptOf(settings)) })
    setTyped(undefined)
    setIsDone(true)
  }
  const remove = () => {
    if (own) saved.remove(own.name)
    onChange({ ...settings, saved: '' })
  }
  return (
    <details>
      <summary>{texts.save}</summary>
      <form onSubmit={onSubmit}>
        <div className="import-line">
          <label>
            {texts.name}
            <input
              className="field-input"
              maxLength={80}
              required
              value={name}
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
          <Button type="submit">{common.save}</Button>
          {own && <Button onClick={remove}>{texts.remove(own.name)}</Button>}
        </div>
      </form>
      <p role="status">{own && isDone && !saved.error && texts.done}</p>
      {saved.error && (
        <p role="alert" className="removed-refused" dir="auto">
          {saved.error.message}
        </p>
      )}
    </details>
  )
}

// What columns of files are for, saved under a name: by the definition for all, and by users for themselves, in their settings.

type Kept = Pick<ImportSettings, 'import' | 'mode' | 'match' | 'emptyCells' | 'columns'>

type SavedImport = {
  readonly id: string
  readonly name: string
  readonly isOwn: boolean
  readonly kept: Kept
  /** The share of its heads that the file has. */
  readonly share: number
}

type OwnImport = { readonly name: string; readonly heads: readonly string[]; readonly kept: Kept }

const isChoice = (value: unknown): value is ColumnChoice | null =>
  value === null || (isObject(value) && typeof value.field === 'string')

/** Of settings, which any version of the page may have written. */
const readOwn = (value: unknown, entity: Entity): readonly OwnImport[] =>
  Array.isArray(value) ? value.filter((one): one is OwnImport => isOwn(one, entity)) : []

const isOwn = (value: unknown, entity: Entity): boolean => {
  if (!isObject(value) || !isObject(value.kept) || !isTexts(value.heads)) return false
  const { mode, match, columns } = value.kept
  return (
    typeof value.name === 'string' &&
    modesOf(entity).some((one) => one === mode) &&
    isTexts(match) &&
    isObject(columns) &&
    Object.values(columns).every(isChoice)
  )
}

const ownId = (name: string): string => `own:${name}`

const savedOf = (
  entity: Entity,
  look: ImportLook,
  own: readonly OwnImport[],
): readonly SavedImport[] => {
  const inFile = new Set(look.columns.map(({ head }) => head))
  const modes = modesOf(entity)
  return [
    ...own.map(({ name, heads, kept }) => {
      const found = heads.filter((head) => inFile.has(head)).length
      return { id: ownId(name), name, isOwn: true, kept, share: found / heads.length }
    }),
    ...look.imports
      .filter(({ mode }) => modes.includes(mode))
      .map(({ key, name, mode, match, emptyCells, heads, found }) => {
        const kept = { import: key, mode, match, emptyCells, columns: {} }
        return { id: `definition:${key}`, name, isOwn: false, kept, share: found / heads }
      }),
  ]
}

/** The one whose heads the file has, at least most of them. */
export const bestOf = (saved: readonly SavedImport[]): SavedImport | undefined =>
  saved.filter(({ share }) => share > 0.5).toSorted((a, b) => b.share - a.share)[0]

/** What was saved for an entity, and how users save and remove theirs. */
export const useSavedImports = (entity: Entity, look: ImportLook) => {
  const { settings, change, error } = useConsoleSettings()
  const key = `imports.${entity.key}`
  const own = readOwn(settings[key], entity)
  const set = (next: readonly OwnImport[]) => change({ [key]: next.length > 0 ? next : null })
  const others = (name: string) => own.filter((one) => one.name !== name)
  return {
    all: savedOf(entity, look, own),
    /** Returns its id. One of the same name is replaced. */
    save: (name: string, columns: readonly ImportColumn[], kept: Kept): string => {
      const heads = columns.filter(({ path }) => path !== null).map(({ head }) => head)
      set([...others(name), { name, heads, kept }])
      return ownId(name)
    },
    remove: (name: string) => set(others(name)),
    error,
  }
}

export type SavedImports = ReturnType<typeof useSavedImports>

/** What of settings is saved: what the file is, is found in the next one again. */
const keptOf = (settings: ImportSettings): Kept => {
  const { import: key, mode, match, emptyCells, columns } = settings
  return { ...(key !== undefined && { import: key }), mode, match, emptyCells, columns }
}

/** The settings with what was saved in place of what was said before. */
export const withSaved = (
  { import: _import, saved: _saved, ...settings }: ImportSettings,
  { id, kept }: Pick<SavedImport, 'id' | 'kept'>,
): ImportSettings => ({ ...settings, ...kept, saved: id })
