export default 'texts en'
