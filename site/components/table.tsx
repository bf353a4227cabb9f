import type { ReactNode } from 'react'
import classes from './table.module.css'

interface TableProps {
  /** Describes the table. Screen readers announce it. */
  caption: string
  head: readonly string[]
  /** The first cell of each row is the row's heading. */
  rows: readonly (readonly ReactNode[])[]
}

/** A table whose rows become blocks if the screen is too narrow for columns. */
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
                // Two columns explain themselves. In wider tables, each cell needs its own heading when it is a block.
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
