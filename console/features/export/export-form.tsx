/** What a user chooses of an export: its format and its columns. */
import type { ReactNode } from 'react'
import { useExportTexts } from '../../texts/export/texts.ts'
import { type Format, formats } from './export-request.ts'

export type Choice = {
  readonly format: Format
  readonly hasBom: boolean
  /** All that match, or those that are selected. */
  readonly rows: 'all' | 'selected'
  /** Those that the list shows, or those of the definition. */
  readonly columns: 'list' | 'definition'
}

export const firstChoice = (hasSelection: boolean): Choice => ({
  ...{ format: 'csv', hasBom: false, columns: 'list' },
  rows: hasSelection ? 'selected' : 'all',
})

type FormProps = {
  readonly choice: Choice
  /** Numbers of columns. */
  readonly listed: number
  readonly defined: number
  readonly isDisabled: boolean
  readonly onChange: (choice: Choice) => void
}

export const ExportForm = (props: FormProps): ReactNode => {
  const { choice, listed, defined, isDisabled, onChange } = props
  const texts = useExportTexts()
  return (
    <>
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
        {choice.format === 'csv' && (
          <label>
            <input
              type="checkbox"
              checked={choice.hasBom}
              onChange={({ target }) => onChange({ ...choice, hasBom: target.checked })}
            />
            {texts.bom}
          </label>
        )}
      </fieldset>
      <fieldset disabled={isDisabled}>
        <legend>{texts.columns}</legend>
        <Radio
          name="columns"
          isChosen={choice.columns === 'list'}
          label={texts.columnsOfList(listed)}
          onChoose={() => onChange({ ...choice, columns: 'list' })}
        />
        <Radio
          name="columns"
          isChosen={choice.columns === 'definition'}
          label={texts.columnsOfDefinition(defined)}
          onChoose={() => onChange({ ...choice, columns: 'definition' })}
        />
      </fieldset>
    </>
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
