/* Metro reads `import()` itself. Jest does not, and the hooks load some of their code by it. */
module.exports = (api) => ({
  presets: ['babel-preset-expo'],
  plugins: api.env('test') ? ['@babel/plugin-transform-dynamic-import'] : [],
})
