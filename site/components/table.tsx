import type { ReactNode } from 'react'
import classes from './table.module.css'

interface TableProps {
  /** Says what the table holds; a screen reader announces it. */
  caption: string
  head: readonly string[]
  /** The first cell of a row is its heading. */
  rows: readonly (readonly ReactNode[])[]
}

/** A table whose rows become blocks where the screen is too narrow for columns. */
export function Table({ caption, head, rows }: TableProps) {
  return (
    <table className={classes.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell} scope="col">
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) =>
              column === 0 ? (
                <th key={column} scope="row">
                  {cell}
                </th>
              ) : (
                // Two columns explain themselves; of more, each cell needs its heading when it stands alone.
                <td key={column} data-head={head.length > 2 ? head[column] : undefined}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
