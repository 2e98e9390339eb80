/** A box over a cell, above everything that the list cuts off. */
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'

type BoxProps = ComponentProps<'div'> & {
  /** Whether the first input or button in it has the focus when it opens. */
  readonly hasFocus: boolean
}

export const OverCell = ({ hasFocus, children, ...rest }: BoxProps): ReactNode => {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.showPopover(), [])
  useEffect(() => {
    if (!hasFocus) return
    const first = box.current?.querySelector<HTMLElement>('input, select, textarea, button')
    first?.focus()
    if (first instanceof HTMLInputElement) first.select()
  }, [hasFocus])
  return (
    <div ref={box} popover="manual" {...rest}>
      {children}
    </div>
  )
}

/** Gives the focus back to the list that holds an element. */
export const focusGrid = (inside: Element): void =>
  inside.closest<HTMLElement>('[role=grid]')?.focus()
