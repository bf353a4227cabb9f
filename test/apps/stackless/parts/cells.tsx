import { Component, forwardRef, lazy, memo } from 'react'
import { values } from './values.ts'

interface Props {
  kind: string
}

export function Shell({ kind }: Props): never {
  // place: /shell
  throw values[kind]?.()
}

export const Arrow = ({ kind }: Props): never => {
  // place: /arrow
  throw values[kind]?.()
}

export class Classy extends Component<Props> {
  // place: /class
  override render(): never {
    throw values[this.props.kind]?.()
  }
}

export const Memo = memo(function Remembered({ kind }: Props): never {
  // place: /memo
  throw values[kind]?.()
})

export const Nameless = memo(({ kind }: Props): never => {
  // place: /nameless
  throw values[kind]?.()
})

export const Forward = forwardRef<unknown, Props>(({ kind }, _ref): never => {
  // place: /forward
  throw values[kind]?.()
})

export const Both = memo(
  forwardRef<unknown, Props>(({ kind }, _ref): never => {
    // place: /both
    throw values[kind]?.()
  }),
)

function Later({ kind }: Props): never {
  // place: /lazy
  throw values[kind]?.()
}

export const Lazy = lazy(async () => ({ default: Later }))

export const Imported = lazy(() => import('./imported.tsx'))

export function Outer({ kind }: Props) {
  return <Inner kind={kind} />
  function Inner({ kind }: Props): never {
    // place: /inner
    throw values[kind]?.()
  }
}

export function Named({ kind }: Props): never {
  // place: /named
  throw values[kind]?.()
}
Named.displayName = 'Section.Named'
