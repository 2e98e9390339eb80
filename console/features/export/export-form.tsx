/** What a user chooses of an export: its format and its columns. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { ColumnChoice } from './columns/column-choice.tsx'
import { type Format, formats } from './export-request.ts'

export type Choice = {
  readonly format: Format
  readonly isForExcel: boolean
  /** Undefined: as is usual for the format. */
  readonly hasNames: boolean | undefined
  /** All that match, or those that are selected. */
  readonly rows: 'all' | 'selected'
  /** Paths; undefined: those of the export settings. */
  readonly columns: readonly string[] | undefined
}

/** Workbooks are for people; programs read the others. */
export const hasNamesOf = ({ format, hasNames }: Choice): boolean => hasNames ?? format === 'xlsx'

type FormProps = {
  readonly entity: Entity
  readonly choice: Choice
  /** The columns of the list. */
  readonly listed: readonly string[]
  readonly isDisabled: boolean
  readonly onChange: (choice: Choice) => void
}

export const ExportForm = (props: FormProps): ReactNode => {
  const { entity, choice, listed, isDisabled, onChange } = props
  const texts = useWorkTexts().export
  return (
    <div className="export-form">
      <fieldset disabled={isDisabled}>
        <legend>{texts.format}</legend>
        {formats.map((format) => (
          <Radio
            key={format}
            name="format"
            isChosen={choice.format === format}
            label={texts.formats[format]}
            onChoose={() => onChange({ ...choice, format })}
          />
        ))}
        <label>
          <input
            type="checkbox"
            checked={hasNamesOf(choice)}
            onChange={({ target }) => onChange({ ...choice, hasNames: target.checked })}
          />
          {texts.names}
        </label>
        {choice.format === 'csv' && (
          <label>
            <input
              type="checkbox"
              checked={choice.isForExcel}
              onChange={({ target }) => onChange({ ...choice, isForExcel: target.checked })}
            />
            {texts.forExcel}
          </label>
        )}
      </fieldset>
      <ColumnChoice
        entity={entity}
        listed={listed}
        isDisabled={isDisabled}
        chosen={choice.columns}
        onChange={(columns) => onChange({ ...choice, columns })}
      />
    </div>
  )
}

type RadioProps = {
  readonly name: string
  readonly isChosen: boolean
  readonly label: string
  readonly onChoose: () => void
}

export const Radio = ({ name, isChosen, label, onChoose }: RadioProps): ReactNode => (
  <label>
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
    {label}
  </label>
)
