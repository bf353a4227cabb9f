import { href } from 'hydrant/react'

export default function Page() {
  return <a href={href('/own/[call]', { call: '' })}>x</a> // fails at /own/component
}
