/** Chooses a user by name. */
import type { ReactNode } from 'react'
import type { Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { LinkInput } from '../values/link-input.tsx'

type PersonProps = {
  readonly id: string
  readonly userId: number | undefined
  readonly onChange: (userId: number | undefined) => void
}

const userField: Field = {
  key: 'user',
  type: 'manyToOne',
  entity: 'user',
  column: 'user_id',
  isSystem: false,
  isCalculated: false,
}

export const PersonInput = ({ id, userId, onChange }: PersonProps): ReactNode => {
  const texts = useWorkTexts().values
  return (
    <LinkInput
      id={id}
      field={userField}
      isInvalid={false}
      describedBy={undefined}
      linked={undefined}
      timeZone="UTC"
      value={userId ?? null}
      unknownNote={texts.noPerson}
      onChange={(value) => onChange(typeof value === 'number' ? value : undefined)}
    />
  )
}
