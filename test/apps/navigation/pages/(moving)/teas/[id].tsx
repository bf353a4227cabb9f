import type { PageProps } from 'hydrant/react'
import { ViewTransition } from 'react'

export default function Tea({ params }: PageProps<'/teas/[id]'>) {
  return (
    <>
      <ViewTransition name={`tea-${params.id}`}>
        <h1>Tea</h1>
      </ViewTransition>
      <ViewTransition
        default="none"
        enter={{ forward: 'from-right', default: 'none' }}
        exit={{ back: 'to-right', default: 'none' }}
      >
        <p>Steep it.</p>
      </ViewTransition>
    </>
  )
}
