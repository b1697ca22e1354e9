import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "*.mjs", "*.mts"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 60],
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  { files: ["test/**"], rules: { "max-lines-per-function": "off" } },
);
