/** Inputs of several values of a condition: boxes of what there is, or records that are found by name. */
import type { ReactNode } from 'react'
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import type { Field } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { FieldInput } from '../values/field-input.tsx'

export type Option = { readonly value: string | boolean; readonly label: string }

type ListProps = {
  readonly id: string
  readonly value: unknown
  readonly isInvalid: boolean
  readonly describedBy: string | undefined
  readonly onChange: (value: unknown) => void
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

type ChoicesProps = ListProps & { readonly options: readonly Option[] }

export const ChoicesInput = (props: ChoicesProps): ReactNode => {
  const { options, isInvalid, describedBy, onChange } = props
  const texts = useWorkTexts().filter
  const chosen = listOf(props.value)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset cannot stand in a grid
    <div role="group" aria-label={texts.choices} className="filter-choices">
      {options.map(({ value, label }, at) => (
        <label key={String(value)}>
          <input
            type="checkbox"
            aria-invalid={(isInvalid && at === 0) || undefined}
            aria-describedby={describedBy}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </div>
  )
}

type RecordsProps = ListProps & { readonly field: Field }

export const RecordsInput = (props: RecordsProps): ReactNode => {
  const { id, field, isInvalid, describedBy, onChange } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const chosen = listOf(props.value)
  const entity = field.entity ?? ''
  const places = chosen.flatMap((one) => (typeof one === 'number' ? [{ entity, id: one }] : []))
  const names = useRecordNames(places, entities)
  const nameOf = (one: unknown) =>
    (typeof one === 'number' && names?.get(placeKey({ entity, id: one }))) || String(one)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset cannot stand in a grid
    <div role="group" aria-label={texts.choices}>
      <ul className="filter-records">
        {chosen.map((one) => (
          <li key={String(one)}>
            <span dir="auto">{nameOf(one)}</span>
            <IconButton
              label={texts.removeValue(nameOf(one))}
              icon={closeIcon}
              onClick={() => onChange(chosen.filter((other) => other !== one))}
            />
          </li>
        ))}
      </ul>
      <label htmlFor={id} className="visually-hidden">
        {texts.value}
      </label>
      <FieldInput
        id={id}
        field={field}
        isInvalid={isInvalid}
        describedBy={describedBy}
        key={chosen.length}
        value={null}
        linked={undefined}
        timeZone="UTC"
        onChange={(next) => typeof next === 'number' && onChange([...new Set([...chosen, next])])}
      />
    </div>
  )
}
