/** The first rows of a file as their records will be. */
import type { ReactNode } from 'react'
import type { ImportLook } from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { useReading, useSession } from '../session/session.ts'
import { useImportTexts } from './import-texts.ts'
import { pathLabel, valueText } from './import-words.ts'

type PreviewProps = { readonly entity: Entity; readonly look: ImportLook }

export const RowPreview = ({ entity, look }: PreviewProps): ReactNode => {
  const texts = useImportTexts().preview
  const { entities } = useSession()
  const reading = useReading()
  const paths = look.columns.flatMap(({ path }) => path ?? [])
  if (paths.length === 0 || look.rows.length === 0) return null
  return (
    <>
      <h3>{texts.title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys */}
      <section className="import-rows" aria-label={texts.title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.row}</th>
              {paths.map((path) => (
                <th key={path} scope="col" dir="auto">
                  {pathLabel(path, entity, entities)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {look.rows.map(({ row, fault, cells }) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {fault === null ? (
                  cells.map((cell, at) => (
                    <td key={paths[at]} data-fault={cell.fault !== null || undefined} dir="auto">
                      {valueText(cell.value, paths[at] ?? '', { entity, entities }, reading)}
                      {cell.fault !== null && <small>{cell.fault}</small>}
                    </td>
                  ))
                ) : (
                  <td colSpan={paths.length} data-fault dir="auto">
                    <small>{fault}</small>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}
