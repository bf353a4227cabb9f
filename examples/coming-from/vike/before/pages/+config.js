import vikeReact from 'vike-react/config'

export default {
  extends: [vikeReact],
  title: 'Reading club',
  passToClient: ['member'],
}
