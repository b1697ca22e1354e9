;;; lsp-evalplus.el --- Is the accepted code correct?  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages, tools
;; URL: https://github.com/lsp-evalplus/lsp-evalplus
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Starts the lsp-evalplus server for Python buffers, with Eglot or beside other servers with lsp-mode:
;;
;;   (require 'lsp-evalplus)
;;
;; Eglot speaks to one server per buffer, and takes this one; to run it beside another server, use lsp-mode.
;; Completions accepted in copilot.el are noticed through the proxy:
;;
;;   (setq copilot-server-executable "lsp-evalplus"
;;         copilot-server-args '("proxy" "--" "copilot-language-server" "--stdio"))
;;
;; Other completion packages can call `lsp-evalplus-notify-accepted' when one was accepted.

;;; Code:

(defgroup lsp-evalplus nil
  "Finds inputs on which accepted code is wrong."
  :group 'languages)

(defcustom lsp-evalplus-command '("lsp-evalplus" "serve")
  "The command that starts the server."
  :type '(repeat string))

(defcustom lsp-evalplus-settings nil
  "Settings as a property list, for example (:budget 2 :trigger \"save\")."
  :type 'plist)

(defvar eglot-server-programs)
(defvar eglot-workspace-configuration)
(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function eglot--pos-to-lsp-position "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-workspaces "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp--text-document-identifier "lsp-mode")
(declare-function lsp--region-to-range "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")

(defun lsp-evalplus--eglot-contact (&optional _interactive)
  "The server's command, with its settings as initialization options."
  `(,@lsp-evalplus-command :initializationOptions ,(or lsp-evalplus-settings (make-hash-table))))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((python-mode python-ts-mode) . lsp-evalplus--eglot-contact)))

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () lsp-evalplus-command))
    :major-modes '(python-mode python-ts-mode)
    :initialization-options (lambda () (or lsp-evalplus-settings (make-hash-table)))
    :add-on? t
    :server-id 'lsp-evalplus)))

;;;###autoload
(defun lsp-evalplus-notify-accepted (beginning end &optional kind source)
  "Tell the server that the text from BEGINNING to END was accepted.
KIND is \"full\" (the default), \"word\", \"line\" or \"nextEdit\";
SOURCE names where it came from.  A request, so that pending changes go first."
  (let ((arguments
         (lambda (document range)
           (vector `(:textDocument ,document :ranges ,(vector range) :kind ,(or kind "full") :source ,(or source "emacs"))))))
    (cond
     ((and (fboundp 'eglot-current-server) (eglot-current-server))
      (eglot--signal-textDocument/didChange)
      (jsonrpc-async-request
       (eglot-current-server) :workspace/executeCommand
       (list :command "lspEvalplus.accepted"
             :arguments (funcall arguments (eglot--TextDocumentIdentifier)
                                 (list :start (eglot--pos-to-lsp-position beginning)
                                       :end (eglot--pos-to-lsp-position end))))
       :success-fn #'ignore :error-fn #'ignore))
     ((and (fboundp 'lsp-workspaces) (lsp-workspaces))
      (lsp-request-async
       "workspace/executeCommand"
       (list :command "lspEvalplus.accepted"
             :arguments (funcall arguments (lsp--text-document-identifier) (lsp--region-to-range beginning end)))
       #'ignore :error-handler #'ignore)))))

(provide 'lsp-evalplus)
;;; lsp-evalplus.el ends here
