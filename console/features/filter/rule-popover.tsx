/** A button that opens the form of a condition beside it; the form is loaded when it is first opened. */
import { type ComponentProps, lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import type { RuleForm as RuleFormPart } from './rule-form.tsx'

const RuleForm = lazy(async () => ({ default: (await import('./rule-form.tsx')).RuleForm }))

type PopoverProps = Omit<ComponentProps<typeof RuleFormPart>, 'onDone'> & {
  readonly label: string
  readonly face: ReactNode
}

export const RulePopover = ({ label, face, onAdvanced, ...form }: PopoverProps): ReactNode => {
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const close = () => panel.current?.hidePopover()
  return (
    <>
      <Button look="quiet" popoverTarget={id} aria-label={label}>
        {face}
      </Button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="menu rule-panel"
        onToggle={({ newState, target, currentTarget }) => {
          // React tells of the lists inside of the panel too.
          if (target === currentTarget) setIsOpen(newState === 'open')
        }}
      >
        <Suspense>
          {isOpen && (
            <RuleForm
              {...form}
              onDone={close}
              onAdvanced={() => {
                close()
                onAdvanced()
              }}
            />
          )}
        </Suspense>
      </div>
    </>
  )
}
