import { href, type PageProps } from 'hydrant/react'

export default function Tickets({ data }: PageProps<'/'>) {
  return (
    <>
      <title>Tickets</title>
      <h1>Tickets</h1>
      <ul className="tickets">
        {data.tickets.map(({ id, title, isOpen }) => (
          <li key={id}>
            <a href={href('/tickets/[id]', { id })}>{title}</a>{' '}
            <span className="state">{isOpen ? 'open' : 'closed'}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
