/** Whether rows create or change records, by what these are found, and what empty cells do. */
import type { ReactNode } from 'react'
import type { ImportLook, ImportSettings } from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import { Select } from './file-choice.tsx'
import { useImportTexts } from './import-texts.ts'
import { pathLabel } from './import-words.ts'

type ModeProps = {
  readonly entity: Entity
  readonly look: ImportLook
  readonly settings: ImportSettings
  readonly onChange: (settings: Partial<ImportSettings>) => void
}

type Mode = ImportSettings['mode']

/** What the permissions of the user allow. */
export const modesOf = ({ permissions: { create, update } }: Entity): readonly Mode[] => [
  ...(create ? (['insert'] as const) : []),
  ...(update === false ? [] : (['update'] as const)),
  ...(create && update !== false ? (['insertOrUpdate'] as const) : []),
]

/** The mode that the page begins with. */
export const firstMode = (entity: Entity): Mode => modesOf(entity)[0] ?? 'insert'

/** The combinations of fields by which records can be found with the columns of the file. */
const matchesOf = ({ columns, matches }: ImportLook): ImportLook['matches'] => {
  const paths = new Set(columns.map(({ path }) => path))
  const has = (name: string) => [...paths].some((path) => path === name || path === `${name}.id`)
  const found = matches.filter((names) => names.every(has))
  return found.length > 0 ? found : matches
}

export const ModeChoice = ({ entity, look, settings, onChange }: ModeProps): ReactNode => {
  const texts = useImportTexts().mode
  const { entities } = useSession()
  const { mode, match, emptyCells } = settings
  const matches = matchesOf(look)
  const nameOf = (names: readonly string[]) =>
    names.map((name) => pathLabel(name, { entity, entities })).join(', ')
  return (
    <div className="import-line">
      <Select
        label={texts.title}
        value={mode}
        options={modesOf(entity).map((one) => [one, texts.modes[one]])}
        onChange={(value) =>
          onChange({
            mode: value as Mode,
            match: value === 'insert' ? [] : match.length > 0 ? match : (matches[0] ?? []),
          })
        }
      />
      {mode !== 'insert' && (
        <Select
          label={texts.match}
          value={match.join()}
          options={matches.map((names) => [names.join(), nameOf(names)])}
          onChange={(value) => onChange({ match: value.split(',') })}
        />
      )}
      <Select
        label={texts.emptyCells}
        value={emptyCells}
        options={Object.entries(texts.emptyRules)}
        onChange={(value) => onChange({ emptyCells: value as ImportSettings['emptyCells'] })}
      />
    </div>
  )
}
