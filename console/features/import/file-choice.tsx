/** The file of an import: dropped or chosen, and what it was taken for. */
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import type { ImportLook, ImportSettings } from '../../api/records/imports.ts'
import { Button } from '../../parts/button.tsx'
import { TitledSection } from '../../parts/sections.tsx'
import { formatBytes } from '../format/format-bytes.ts'
import { useReading } from '../session/session.ts'
import { useImportTexts } from './import-texts.ts'

type ChoiceProps = {
  readonly file: File | undefined
  readonly onFile: (file: File) => void
}

export const FileChoice = ({ file, onFile }: ChoiceProps): ReactNode => {
  const texts = useImportTexts().file
  const { locale } = useReading()
  const isOver = useDrop(onFile)
  const input = useRef<HTMLInputElement>(null)
  return (
    <TitledSection title={texts.title}>
      <fieldset className="import-line" aria-label={texts.title} data-over={isOver || undefined}>
        {file ? (
          <strong dir="auto">
            {file.name} · {formatBytes(file.size, locale)}
          </strong>
        ) : (
          <p>{texts.drop}</p>
        )}
        <Button look={file ? 'plain' : 'primary'} onClick={() => input.current?.click()}>
          {file ? texts.other : texts.choose}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl"
          onChange={({ target }) => {
            const [chosen] = target.files ?? []
            // The same file can be chosen again, as it is by then.
            target.value = ''
            if (chosen) onFile(chosen)
          }}
        />
      </fieldset>
    </TitledSection>
  )
}

/** A file is taken wherever it is dropped: outside of the area a browser would leave the page and show it. Whether one is dragged over the page. */
const useDrop = (onFile: (file: File) => void): boolean => {
  const [isOver, setIsOver] = useState(false)
  const take = useEffectEvent(onFile)
  useEffect(() => {
    const listen = (event: DragEvent) => {
      event.preventDefault()
      // Leaving a part of the page is no leaving of it.
      setIsOver(event.type === 'dragover' || event.relatedTarget !== null)
      const [dropped] = event.dataTransfer?.files ?? []
      if (event.type !== 'drop') return
      setIsOver(false)
      if (dropped) take(dropped)
    }
    const types = ['dragover', 'dragleave', 'drop'] as const
    for (const type of types) window.addEventListener(type, listen)
    return () => {
      for (const type of types) window.removeEventListener(type, listen)
    }
  }, [])
  return isOver
}

type Texts = {
  readonly [Name in 'encoding' | 'separator' | 'sheet']: string | null
}

type FoundProps = {
  readonly look: Pick<ImportLook, 'format' | 'sheets' | 'notes'> & Texts
  readonly onChange: (settings: Partial<ImportSettings>) => void
}

const encodings = ['utf-8', 'windows-1252', 'windows-1250', 'utf-16le', 'utf-16be']

/** What the file was taken for; the user may correct it. */
export const FoundFile = ({ look, onChange }: FoundProps): ReactNode => {
  const texts = useImportTexts().file
  const { format, encoding, separator, sheet, sheets, notes } = look
  return (
    <>
      <div className="import-line">
        <Select
          label={texts.format}
          value={format}
          options={Object.entries(texts.formats)}
          onChange={(value) => onChange({ format: value as ImportLook['format'] })}
        />
        {encoding !== null && (
          <Select
            label={texts.encoding}
            value={encoding}
            options={encodings.map((one) => [one, one.toUpperCase()])}
            onChange={(value) => onChange({ encoding: value })}
          />
        )}
        {separator !== null && (
          <Select
            label={texts.separator}
            value={separator}
            options={Object.entries(texts.separators)}
            onChange={(value) => onChange({ separator: value })}
          />
        )}
        {sheet !== null && sheets.length > 1 && (
          <Select
            label={texts.sheet}
            value={sheet}
            options={sheets.map((one) => [one, one])}
            onChange={(value) => onChange({ sheet: value, columns: {}, saved: undefined })}
          />
        )}
      </div>
      {notes.length > 0 && (
        <details>
          <summary>{texts.notes}</summary>
          <ul dir="auto">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type SelectProps = {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string) => void
}

/** A choice with its label above it. */
export const Select = ({ label, value, options, onChange }: SelectProps): ReactNode => {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="field-input"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
