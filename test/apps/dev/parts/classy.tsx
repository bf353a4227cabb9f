import { Component } from 'react'

export class Classy extends Component {
  override render() {
    return <b id="classy">class</b>
  }
}
