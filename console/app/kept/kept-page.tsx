/** A page that stays as it is while another one is shown. */
import { CatchBoundary } from '@tanstack/react-router'
import { Activity, type ReactNode, Suspense, useCallback, useState } from 'react'
import { createPortal } from 'react-dom'
import { Waiting } from '../../parts/notes.tsx'
import { PageProblem } from './page-problem.tsx'

type KeptProps = { readonly isShown: boolean; readonly children: ReactNode }

/**
 * Renders a page into an element of its own, which is in the document only while the page is shown. Before and after that,
 * the page has its state and its elements, and none of its effects.
 */
export const KeptPage = ({ isShown, children }: KeptProps): ReactNode => {
  const [element] = useState(() => Object.assign(document.createElement('div'), { className }))
  // Only when it comes into the document: what is moved in it loses the focus.
  const place = useCallback((around: Element | null) => void around?.append(element), [element])
  return (
    <>
      {/* Before the page, so that its effects find it in the document. */}
      {isShown && <div className={className} ref={place} />}
      {createPortal(
        <Activity mode={isShown ? 'visible' : 'hidden'}>
          <CatchBoundary getResetKey={() => 0} errorComponent={PageProblem}>
            <Suspense fallback={<Waiting />}>{children}</Suspense>
          </CatchBoundary>
        </Activity>,
        element,
      )}
    </>
  )
}

const className = 'kept-page'
