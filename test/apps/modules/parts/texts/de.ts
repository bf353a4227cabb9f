export default 'texts de'
