import { ViewTransition } from 'react'

export default function Teas() {
  return (
    <ul>
      <li>
        <ViewTransition name="tea-assam">
          <a id="assam" href="/teas/assam">
            assam
          </a>
        </ViewTransition>
      </li>
    </ul>
  )
}
