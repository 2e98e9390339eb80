/** Choosing a saved import for a file, and saving what was said of its columns for the next one. */
import { type FormEvent, type ReactNode, useState } from 'react'
import type { ImportLook, ImportSettings } from '../../api/records/imports.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Select } from './file-choice.tsx'
import { useImportTexts } from './import-texts.ts'
import { keptOf, type SavedImports, withSaved } from './saved-imports.ts'

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
