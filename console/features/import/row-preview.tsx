/** The first rows of a file as their records will be. */
import type { ReactNode } from 'react'
import type { ImportLook } from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { ScrolledBody } from '../../parts/sections.tsx'
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
      <ScrolledBody label={texts.title} className="export-sheet">
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
                    <td key={paths[at]} dir="auto">
                      {valueText(cell.value, paths[at] ?? '', { entity, entities }, reading)}
                      {cell.fault !== null && (
                        <small className="removed-refused">{cell.fault}</small>
                      )}
                    </td>
                  ))
                ) : (
                  <td colSpan={paths.length} dir="auto">
                    <small className="removed-refused">{fault}</small>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrolledBody>
    </>
  )
}
