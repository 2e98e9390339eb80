/** The button of the choice of columns, which is loaded when it is first opened. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { columnsIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ColumnChoices as Choices } from './column-choices.tsx'
import './columns-menu.css'
import { laterPart } from '../../parts/later.tsx'

const ColumnChoices = laterPart(async () => (await import('./column-choices.tsx')).ColumnChoices)

export const ColumnsMenu = (props: ComponentProps<typeof Choices>): ReactNode => {
  const { list } = useTexts()
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="quiet" popoverTarget={id}>
        {columnsIcon} <span className="wide-text">{list.columns}</span>
      </Button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={list.columnsOf(props.entity.name)}
        className="popover columns-menu menu"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && <ColumnChoices {...props} />}
      </div>
    </>
  )
}
